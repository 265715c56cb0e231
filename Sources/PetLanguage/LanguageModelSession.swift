import PetTokenizer

/// A conversation with a model. Turns follow one another; a second request waits for the first.
///
/// The history is never computed twice: what the model has read stays in the KV cache, so the time to the first token of
/// a reply depends on the new message, not on how long the conversation is.
public actor LanguageModelSession {
  public nonisolated let model: LanguageModel
  private let sequence: CachedSequence
  private var ledger: TokenLedger
  private var isResponding = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameter instructions: the system text; always kept, whatever else must be left out.
  /// - Throws: `LanguageModelError.noChatTemplate`, or the reason why the template was not recognized.
  public init(_ model: LanguageModel, instructions: String? = nil) throws {
    self.model = model
    sequence = try CachedSequence(model.configuration, capacity: model.contextLength)
    ledger = TokenLedger(system: instructions, template: try model.template.get(), tokenizer: model.tokenizer)
  }

  /// One turn of a conversation as text.
  public struct Turn: Sendable, Equatable {
    public let user: String
    public let reply: String
  }

  /// The turns that the model still sees.
  public var transcript: [Turn] { ledger.exchanges.map { Turn(user: $0.userText, reply: $0.replyText) } }

  /// Computes the system text ahead of the first message.
  public func prewarm() async throws {
    await begin()
    defer { end() }
    guard ledger.exchanges.isEmpty else { return }
    try await model.worker.prefill(try ledger.openingTokens(), into: sequence)
  }

  /// Answers `message`, streaming. Cancelling the consumer stops the reply; what was said until then stays in the
  /// conversation.
  public nonisolated func streamResponse(
    to message: String, _ options: GenerationOptions
  ) -> AsyncThrowingStream<GenerationEvent, any Error> {
    stream { emit in try await self.answer(message, options, emit) }
  }

  /// Answers `message` when the reply is complete.
  public func respond(to message: String, _ options: GenerationOptions) async throws -> GenerationResult {
    try await answer(message, options) { _ in }
  }

  private func answer(
    _ message: String, _ options: GenerationOptions, _ emit: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    await begin()
    defer { end() }
    let prompt = try makeRoom(for: message, reserve: options.maximumTokens)
    var result = try await model.worker.generate(
      prompt, in: sequence, options, endTokens: model.endTokens, emit: emit)
    result.usage.droppedTurns = ledger.droppedTurns
    if !result.tokens.isEmpty {
      try ledger.append(userText: message, replyText: result.text, reply: result.tokens)
    }
    return result
  }

  /// The prompt for `message`, after leaving out old turns where they do not fit.
  private func makeRoom(for message: String, reserve: Int) throws -> [Int32] {
    var prompt = try ledger.prompt(for: message)
    // A reply needs room, but a cap far above any reply must not empty the history.
    let reserve = min(reserve, model.contextLength / 4)
    let alone = try TokenLedger(
      system: ledger.system, template: try model.template.get(), tokenizer: model.tokenizer
    ).prompt(for: message)
    switch ContextEviction.decide(
      prompt: prompt.count, minimum: alone.count, reserve: reserve, capacity: model.contextLength)
    {
    case .fits: break
    case .impossible:
      throw LanguageModelError.messageTooLong(tokens: alone.count + reserve, capacity: model.contextLength)
    case .shrink(let target):
      while prompt.count > target, try ledger.dropOldest() { prompt = try ledger.prompt(for: message) }
    }
    return prompt
  }

  // A mutex for whole turns: actors let calls in at every await.
  private func begin() async {
    guard isResponding else {
      isResponding = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end() {
    if waiting.isEmpty { isResponding = false } else { waiting.removeFirst().resume() }
  }
}
