// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// A conversation with a model. Turns follow one another; a second request waits for the first.
///
/// ```swift
/// let session = try LanguageModelSession(model: model, instructions: "You are a kind cat.")
/// let reply = try await session.respond(to: "Hello!")
/// for try await snapshot in session.streamResponse(to: "And you?") { print(snapshot.piece, terminator: "") }
/// ```
///
/// The history is not computed twice: what the model has read stays in the KV cache, so a turn computes its new tokens
/// only. What grows with the conversation is their attention over it.
public actor LanguageModelSession {
  public nonisolated let model: LanguageModel
  /// What the model's weights are adapted with in this conversation.
  public nonisolated let adapter: ModelAdapter?
  let sequence: CachedSequence
  /// The conversation, as the draft that every turn begins with.
  private var conversation: TurnDraft
  nonisolated let turns = TurnQueue()

  /// - Parameters:
  ///   - instructions: the system text; always kept, whatever else must be left out.
  ///   - adapter: one that was loaded for this model (``LanguageModel/loadAdapter(path:)``).
  /// - Throws: `LanguageModelError.noChatTemplate`, or the reason why the template was not recognized;
  ///   `.messageTooLong` for instructions that no context holds.
  public init(model: LanguageModel, instructions: String? = nil, adapter: ModelAdapter? = nil) throws {
    if let instructions { try model.checkLength(ofMessage: instructions) }
    let ledger = TokenLedger(
      system: instructions.map { Instructions($0) }, template: try model.template.get(), tokenizer: model.tokenizer)
    self.init(model, model.makeSequence(adapter: adapter), ledger, adapter)
  }

  /// Goes on with a conversation that another session had, perhaps on another model.
  /// - Parameter instructions: in the place of those it had; nil: the same.
  /// - Throws: as ``init(model:instructions:adapter:)``; `LanguageModelError.tokenizer`.
  public init(
    model: LanguageModel, resuming state: SessionState, instructions: String? = nil, adapter: ModelAdapter? = nil
  ) throws {
    if let instructions { try model.checkLength(ofMessage: instructions) }
    let template = try model.template.get()
    let ledger = try model.encoding { () throws(TokenizerError) in
      try state.ledger(
        instructions: instructions, template, model.tokenizer, vocabulary: model.vocabularyFingerprint)
    }
    self.init(model, model.makeSequence(adapter: adapter), ledger, adapter)
  }

  init(
    _ model: LanguageModel, _ sequence: CachedSequence, _ ledger: TokenLedger, _ adapter: ModelAdapter?
  ) {
    self.model = model
    self.adapter = adapter
    self.sequence = sequence
    conversation = TurnDraft(model, sequence, ledger, adapter)
  }

  var ledger: TokenLedger { conversation.ledger }

  /// What to keep of the conversation without its model, after a reply that is under way.
  public func state() async -> SessionState {
    await turns.begin()
    defer { turns.end() }
    return SessionState(ledger, vocabulary: model.vocabularyFingerprint)
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
  public func prewarm() async throws { try await turn { draft in try await draft.prefill() } }

  /// Another system text, in the place of all that there were: the conversation behind it must be read again.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func replaceInstructions(_ instructions: String?) async throws {
    try await turn { draft in
      try draft.replaceInstructions(instructions.map { Instructions($0) })
      draft.commitBriefing()
    }
  }

  /// A turn that was answered without the model: it has it in mind from now on.
  /// - Throws: `LanguageModelError.tokenizer`, `.messageTooLong`; the conversation is then as before.
  public func append(_ turn: Turn) async throws { try await append(turn, tokens: []) }

  /// - Parameter tokens: of the reply, as the model once drew them; none: those of its text.
  package func append(_ turn: Turn, tokens: [Int32]) async throws {
    for text in [turn.user, turn.reply] { try model.checkLength(ofMessage: text) }
    try await turnInPlace { draft throws(LanguageModelError) in try draft.append(turn, tokens: tokens) }
  }

  /// Makes one turn: `body` drafts it, and the draft takes the place of the conversation only if `body` committed it and returns.
  /// What it throws, or leaves uncommitted, never was. Other turns wait meanwhile: `body` must not ask this session for anything.
  package func turn<Value: Sendable>(
    _ body: @Sendable (inout TurnDraft) async throws -> Value
  ) async throws -> Value {
    await turns.begin()
    defer { turns.end() }
    var draft = conversation
    let value = try await body(&draft)
    if draft.isCommitted { conversation = draft.committed }
    return value
  }

  /// The same where nothing waits in between, without a copy: one for every turn of a long conversation would be quadratic.
  /// - Parameter body: leaves the draft as it was where it throws.
  func turnInPlace<Failure: Error>(_ body: (inout TurnDraft) throws(Failure) -> Void) async throws(Failure) {
    await turns.begin()
    defer { turns.end() }
    try body(&conversation)
  }

  /// Answers `message`; a flag that the model raises leaves it unanswered. Cancelling the task stops the reply at the next token,
  /// with what there is; that stays in the conversation.
  /// - Parameter onText: receives the reply piece by piece as it comes.
  /// - Throws: `SamplingError` for options out of their ranges, `LanguageModelError.messageTooLong`, both before anything is
  ///   computed; `InferenceError`, `SamplingError`. The conversation is then as before.
  public func respond(
    to message: String, options: GenerationOptions = GenerationOptions(), onText: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    try await model.observing(.chat, options) {
      try model.check(options)
      try model.checkLength(ofMessage: message)
      return try await turn { draft in
        var result = try await draft.write(message, options, onText: onText)
        if result.tokens.isEmpty {
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

extension LanguageModelSession: RespondingSession {}
