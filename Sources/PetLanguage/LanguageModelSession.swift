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
    let shortened = try shortened(message: message, reserve: reserve)
    try await read(shortened)
    ledger = shortened
  }

  /// The turns that must go before a message of so many tokens, oldest first.
  /// - Parameters: as of ``makeReady(message:reserve:)``.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func turnsToDrop(message: Int, reserve: Int) async throws -> [Turn] {
    await turns.begin()
    defer { turns.end() }
    let count = try shortened(message: message, reserve: reserve).droppedTurns - ledger.droppedTurns
    return Array(transcript.prefix(count))
  }

  private func shortened(message: Int, reserve: Int) throws -> TokenLedger {
    let used = try model.encoding { () throws(TokenizerError) in try ledger.prompt(for: "").count }
    let (message, reserve) = (max(0, min(message, model.contextLength)), min(max(0, reserve), model.contextLength / 4))
    // Nearly always there is room.
    guard used + message + reserve > model.contextLength else { return ledger }
    let decision = ContextEviction.decide(
      prompt: used + message, minimum: try promptTokensAlone(for: "") + message, reserve: reserve,
      capacity: model.contextLength)
    guard case .shrink(let target) = decision else { return ledger }
    var shortened = ledger
    try model.encoding { () throws(TokenizerError) in try shortened.dropOldest(for: "", to: target - message) }
    return shortened
  }

  /// Another system text, in the place of all that there were: the conversation behind it must be read again.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func replaceInstructions(_ instructions: String?) async throws {
    try await replaceInstructions(instructions.map { Instructions($0) })
  }

  package func replaceInstructions(_ instructions: Instructions?) async throws {
    await turns.begin()
    defer { turns.end() }
    let old = ledger
    guard !old.isToldOnly(instructions) else { return }
    ledger = try model.encoding { () throws(TokenizerError) in try old.replacingSystem(instructions) }
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
    await turns.begin()
    defer { turns.end() }
    var briefed = ledger
    try model.encoding { () throws(TokenizerError) in try briefed.brief(instructions, again: again) }
    ledger = briefed
  }

  /// What is to be said of turns that are left out: it stands behind the system text from the next time on.
  public func summarize(_ text: String?) async {
    await turns.begin()
    defer { turns.end() }
    ledger.summary = text
  }

  /// A turn that was answered without the model: it has it in mind from now on.
  /// - Throws: `LanguageModelError.tokenizer`, `.messageTooLong`.
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

  /// Other words in the place of the last reply, as if they had been said.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func replaceLastReply(with text: String) async throws {
    await turns.begin()
    defer { turns.end() }
    let old = ledger
    ledger = try model.encoding { () throws(TokenizerError) in try old.replacingLastReply(with: text) }
  }

  /// Tokens that a message may have where nothing was said before.
  /// - Parameter reserve: tokens to keep for the reply.
  /// - Throws: `LanguageModelError.tokenizer`.
  public func roomForMessage(reserve: Int) throws -> Int {
    let frame = try promptTokensAlone(for: "")
    // Joined to what stands around it a text may take a token or two more than alone.
    return max(0, model.contextLength - frame - min(max(0, reserve), model.contextLength / 4) - 4)
  }

  /// All that the model would read for `message`, before anything is left out.
  /// - Throws: `LanguageModelError.tokenizer`.
  package func promptTokens(for message: String) async throws -> [Int32] {
    await turns.begin()
    defer { turns.end() }
    return try model.encoding { () throws(TokenizerError) in try ledger.prompt(for: message) }
  }

  /// Tokens of a prompt for `message` where nothing was said before.
  /// - Throws: `LanguageModelError.tokenizer`.
  package func promptTokensAlone(for message: String) throws -> Int {
    let empty = TokenLedger(
      system: ledger.system, summary: ledger.summary, template: try model.template.get(), tokenizer: model.tokenizer)
    return try model.encoding { () throws(TokenizerError) in try empty.prompt(for: message).count }
  }

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
      try await answer(message, options, onText: onText, onFlag: onFlag)
    }
  }

  private func answer(
    _ message: String, _ options: GenerationOptions, onText: @escaping @Sendable (String) -> Void,
    onFlag: @Sendable (Int32) -> String?
  ) async throws -> GenerationResult {
    await turns.begin()
    defer { turns.end() }
    let (shortened, prompt) = try makeRoom(for: message, reserve: options.maximumTokens)
    var result = try await model.worker.generate(
      prompt, in: sequence, options, endTokens: model.endTokens, emit: onText)
    result.usage.droppedTurns = shortened.droppedTurns - toldDrops
    var longer = shortened
    if let answer = result.flag.flatMap(onFlag) {
      result.text = answer
      try model.encoding { () throws(TokenizerError) in try longer.append(userText: message, replyText: answer) }
      (ledger, toldDrops) = (longer, longer.droppedTurns)
      return result
    }
    guard !result.tokens.isEmpty else {
      // The turn never was: its drops are told of with the next.
      result.usage.droppedTurns = 0
      return result
    }
    try model.encoding { () throws(TokenizerError) in
      try longer.append(userText: message, replyText: result.text, reply: result.tokens)
    }
    (ledger, toldDrops) = (longer, longer.droppedTurns)
    return result
  }

  /// The conversation after leaving out old turns where `message` needs their room, and the prompt for it. The session's
  /// own ledger changes only when the turn has succeeded.
  private func makeRoom(for message: String, reserve: Int) throws -> (ledger: TokenLedger, prompt: [Int32]) {
    let capacity = model.contextLength
    // A reply needs room, but a cap far above any reply must not empty the history.
    let reserve = min(reserve, capacity / 4)
    let minimum = try promptTokensAlone(for: message)
    var shortened = ledger
    var prompt = try model.encoding { () throws(TokenizerError) in try shortened.prompt(for: message) }
    switch ContextEviction.decide(prompt: prompt.count, minimum: minimum, reserve: reserve, capacity: capacity) {
    case .fits: break
    case .impossible: throw LanguageModelError.messageTooLong(tokens: minimum + reserve, capacity: capacity)
    case .shrink(let target):
      prompt = try model.encoding { () throws(TokenizerError) in
        try shortened.dropOldest(for: message, to: target)
        return try shortened.prompt(for: message)
      }
    }
    return (shortened, prompt)
  }
}
