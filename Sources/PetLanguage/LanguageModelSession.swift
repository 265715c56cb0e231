// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// A conversation with a model. Turns follow one another; a second request waits for the first.
///
/// The history is not computed twice: what the model has read stays in the KV cache, so a turn computes its new tokens
/// only. What grows with the conversation is their attention over it.
public actor LanguageModelSession {
  public nonisolated let model: LanguageModel
  /// What the model's weights are adapted with in this conversation.
  public nonisolated let adapter: ModelAdapter?
  let sequence: CachedSequence
  private(set) var ledger: TokenLedger
  /// Dropped turns that a result has told of.
  private var toldDrops = 0
  nonisolated let turns = TurnQueue()

  /// - Parameters:
  ///   - instructions: the system text; always kept, whatever else must be left out.
  ///   - adapter: one that was loaded for this model (``LanguageModel/loadAdapter(path:)``).
  /// - Throws: `LanguageModelError.noChatTemplate`, or the reason why the template was not recognized;
  ///   `.messageTooLong` for instructions that no context holds.
  public init(_ model: LanguageModel, instructions: String? = nil, adapter: ModelAdapter? = nil) throws {
    if let instructions { try model.checkLength(ofMessage: instructions) }
    self.model = model
    self.adapter = adapter
    sequence = model.makeSequence(adapter: adapter)
    ledger = TokenLedger(
      system: instructions.map { Instructions($0) }, template: try model.template.get(), tokenizer: model.tokenizer)
  }

  /// Goes on with a conversation that another session had, perhaps on another model.
  /// - Parameter instructions: in the place of those it had; nil: the same.
  /// - Throws: as ``init(_:instructions:adapter:)``; `LanguageModelError.tokenizer`.
  public init(
    _ model: LanguageModel, resuming state: SessionState, instructions: String? = nil, adapter: ModelAdapter? = nil
  ) throws {
    if let instructions { try model.checkLength(ofMessage: instructions) }
    self.model = model
    self.adapter = adapter
    sequence = model.makeSequence(adapter: adapter)
    let template = try model.template.get()
    ledger = try model.encoding { () throws(TokenizerError) in
      try state.ledger(
        instructions: instructions, template, model.tokenizer, vocabulary: model.vocabularyFingerprint)
    }
    toldDrops = ledger.droppedTurns
  }

  init(
    _ model: LanguageModel, _ sequence: CachedSequence, _ ledger: TokenLedger, _ adapter: ModelAdapter?
  ) {
    self.model = model
    self.adapter = adapter
    self.sequence = sequence
    self.ledger = ledger
    toldDrops = ledger.droppedTurns
  }

  /// What to keep of the conversation without its model, after a reply that is under way.
  public func state() async -> SessionState {
    await turns.begin()
    defer { turns.end() }
    return SessionState(ledger, vocabulary: model.vocabularyFingerprint)
  }

  /// All that there were.
  package var turnCount: Int { ledger.droppedTurns + ledger.exchanges.count }

  /// The words of the last turn are written nowhere: ``SessionState/written(after:)`` leaves it out.
  package func markUnwritten() async {
    await turns.begin()
    defer { turns.end() }
    ledger.markUnwritten()
  }

  /// One turn of a conversation as text.
  public struct Turn: Sendable, Equatable {
    public let user: String
    public let reply: String

    public init(user: String, reply: String) {
      self.user = user
      self.reply = reply
    }
  }

  /// The turns that the model still sees.
  public var transcript: [Turn] { ledger.exchanges.map { Turn(user: $0.userText, reply: $0.replyText) } }

  /// Computes what is known of the next prompt, the system text and the conversation so far, ahead of the message.
  public func prewarm() async throws {
    await turns.begin()
    defer { turns.end() }
    try await read(ledger)
  }

  /// Leaves out old turns now where the next message would need their room, and reads what is not read yet: done while nobody
  /// waits, it costs no reply its quick beginning.
  /// - Parameters:
  ///   - message: tokens to expect of it.
  ///   - reserve: tokens to keep for the reply.
  /// - Throws: `InferenceError`.
  public func makeReady(message: Int, reserve: Int) async throws {
    await turns.begin()
    defer { turns.end() }
    let shortened = try draft.shortened(message: message, reserve: reserve)
    try await read(shortened)
    ledger = shortened
  }

  /// The turns that must go before a message of so many tokens, oldest first.
  /// - Parameters: as of ``makeReady(message:reserve:)``.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func turnsToDrop(message: Int, reserve: Int) async throws -> [Turn] {
    try await turn { draft in try draft.turnsToDrop(message: message, reserve: reserve) }
  }

  /// Another system text, in the place of all that there were: the conversation behind it must be read again.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func replaceInstructions(_ instructions: String?) async throws {
    try await replaceInstructions(instructions.map { Instructions($0) })
  }

  package func replaceInstructions(_ instructions: Instructions?) async throws {
    try await turn { draft in
      try draft.replaceInstructions(instructions)
      draft.commitBriefing()
    }
  }

  /// Another system text, from the next turn on, said behind the conversation: what was read stays as it is, and so does what the
  /// earlier text told. In formats that have a system message at the start only, as ``replaceInstructions(_:)``.
  /// - Parameter again: after so many turns the same text is said again: a small model loses sight of what is far back.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func brief(_ instructions: String?, again: Int = .max) async throws {
    try await brief(instructions.map { Instructions($0) }, again: again)
  }

  /// The same, of a text to which something is added: that is said alone where the text itself is known.
  package func brief(_ instructions: Instructions?, again: Int) async throws {
    try await turn { draft in
      try draft.brief(instructions, again: again)
      draft.commitBriefing()
    }
  }

  /// What is to be said of turns that are left out: it stands behind the system text from the next time on.
  public func summarize(_ text: String?) async {
    await turns.begin()
    defer { turns.end() }
    ledger.summary = text
  }

  /// A turn that was answered without the model: it has it in mind from now on.
  /// - Throws: `LanguageModelError.tokenizer`, `.messageTooLong`; the conversation is then as before.
  public func append(_ turn: Turn) async throws { try await append(turn, tokens: []) }

  /// - Parameter tokens: of the reply, as the model once drew them; none: those of its text.
  package func append(_ turn: Turn, tokens: [Int32]) async throws {
    for text in [turn.user, turn.reply] { try model.checkLength(ofMessage: text) }
    await turns.begin()
    defer { turns.end() }
    // In place: a copy for every turn of a long conversation would be quadratic. What cannot be encoded changes nothing.
    try model.encoding { () throws(TokenizerError) in
      if tokens.isEmpty {
        try ledger.append(userText: turn.user, replyText: turn.reply)
      } else {
        try ledger.append(userText: turn.user, replyText: turn.reply, reply: tokens)
      }
    }
  }

  /// Tokens that a message may have where nothing was said before.
  /// - Parameter reserve: tokens to keep for the reply.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func roomForMessage(reserve: Int) throws -> Int { try draft.roomForMessage(reserve: reserve) }

  /// All that the model would read for `message`, before anything is left out.
  /// - Throws: `LanguageModelError.tokenizer`.
  package func promptTokens(for message: String) async throws -> [Int32] {
    try await turn { draft in try draft.promptTokens(for: message) }
  }

  /// Makes one turn: `body` drafts it, and the draft takes the place of the conversation only if `body` committed it and returns.
  /// What it throws, or leaves uncommitted, never was. Other turns wait meanwhile: `body` must not ask this session for anything.
  package func turn<Value: Sendable>(
    _ body: @Sendable (inout TurnDraft) async throws -> Value
  ) async throws -> Value {
    await turns.begin()
    defer { turns.end() }
    var draft = draft
    let value = try await body(&draft)
    if draft.isCommitted { (ledger, toldDrops) = (draft.ledger, draft.toldDrops) }
    return value
  }

  private var draft: TurnDraft { TurnDraft(model, sequence, ledger, adapter, toldDrops: toldDrops) }

  private func read(_ ledger: TokenLedger) async throws {
    let known = try model.encoding { () throws(TokenizerError) in try ledger.knownTokens() }
    // A longer conversation, of another model's context, loses turns with the next message.
    guard known.count < model.contextLength else { return }
    try await model.worker.prefill(known, into: sequence)
  }

  /// Answers `message`. Cancelling the task stops the reply at the next token, with what there is; that stays in the
  /// conversation.
  /// - Parameters:
  ///   - onText: receives the reply piece by piece as it comes.
  ///   - onFlag: the answer in the model's place where it raises a flag (``GenerationOptions/flags``); it becomes part of the
  ///     conversation. Nil: the turn never was.
  /// - Throws: `LanguageModelError.messageTooLong`, `InferenceError`, `SamplingError`; the conversation is then as before.
  public func respond(
    to message: String, _ options: GenerationOptions, onText: @escaping @Sendable (String) -> Void = { _ in },
    onFlag: @Sendable (Int32) -> String?
  ) async throws -> GenerationResult {
    try model.check(options)
    try model.checkLength(ofMessage: message)
    return try await model.observing(.chat, options) {
      try await turn { draft in
        var result = try await draft.write(message, options, onText: onText)
        if let answer = result.flag.flatMap(onFlag) {
          result.text = answer
          try draft.commit(message, reply: answer)
        } else if result.tokens.isEmpty {
          // The turn never was: its drops are told of with the next.
          result.usage.droppedTurns = 0
        } else {
          try draft.commit(message, reply: result.text, tokens: result.tokens)
        }
        return result
      }
    }
  }
}
