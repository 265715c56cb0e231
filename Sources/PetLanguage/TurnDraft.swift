// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// The next turn of a conversation, in the making (``LanguageModelSession/turn(_:)``).
///
/// It works on a copy of the ledger: nothing of it is in the conversation before it is committed. What the model computes meanwhile
/// stays in the KV cache, and is used again as far as the next prompt begins with the same tokens.
package struct TurnDraft: Sendable {
  package let model: LanguageModel
  private let sequence: CachedSequence
  private let adapter: ModelAdapter?
  private(set) var ledger: TokenLedger
  /// Dropped turns that a result has told of.
  private(set) var toldDrops: Int
  private(set) var isCommitted = false

  init(
    _ model: LanguageModel, _ sequence: CachedSequence, _ ledger: TokenLedger, _ adapter: ModelAdapter?,
    toldDrops: Int
  ) {
    self.model = model
    self.sequence = sequence
    self.ledger = ledger
    self.adapter = adapter
    self.toldDrops = toldDrops
  }

  // MARK: What the model is told

  /// As ``LanguageModelSession/replaceInstructions(_:)``.
  package mutating func replaceInstructions(_ instructions: Instructions?) throws {
    let old = ledger
    guard !old.isToldOnly(instructions) else { return }
    ledger = try model.encoding { () throws(TokenizerError) in try old.replacingSystem(instructions) }
  }

  /// As ``LanguageModelSession/brief(_:again:)``.
  package mutating func brief(_ instructions: Instructions?, again: Int) throws {
    var briefed = ledger
    try model.encoding { () throws(TokenizerError) in try briefed.brief(instructions, again: again) }
    ledger = briefed
  }

  /// As ``LanguageModelSession/summarize(_:)``.
  package mutating func summarize(_ text: String?) { ledger.summary = text }

  // MARK: Room

  /// As ``LanguageModelSession/roomForMessage(reserve:)``.
  package func roomForMessage(reserve: Int) throws -> Int {
    let frame = try promptTokensAlone(for: "")
    // Joined to what stands around it a text may take a token or two more than alone.
    return max(0, model.contextLength - frame - min(max(0, reserve), model.contextLength / 4) - 4)
  }

  /// All that the model would read for `message`, before anything is left out.
  /// - Throws: `LanguageModelError.tokenizer`.
  package func promptTokens(for message: String) throws -> [Int32] {
    try model.encoding { () throws(TokenizerError) in try ledger.prompt(for: message) }
  }

  /// Tokens of a prompt for `message` where nothing was said before.
  /// - Throws: `LanguageModelError.tokenizer`.
  package func promptTokensAlone(for message: String) throws -> Int {
    let empty = TokenLedger(
      system: ledger.system, summary: ledger.summary, template: try model.template.get(), tokenizer: model.tokenizer)
    return try model.encoding { () throws(TokenizerError) in try empty.prompt(for: message).count }
  }

  /// As ``LanguageModelSession/turnsToDrop(message:reserve:)``.
  package func turnsToDrop(message: Int, reserve: Int) throws -> [LanguageModelSession.Turn] {
    let count = try shortened(message: message, reserve: reserve).droppedTurns - ledger.droppedTurns
    return ledger.exchanges.prefix(count).map { .init(user: $0.userText, reply: $0.replyText) }
  }

  /// The conversation with room for a message of so many tokens and its reply.
  func shortened(message: Int, reserve: Int) throws -> TokenLedger {
    let used = try promptTokens(for: "").count
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

  /// Another conversation with the same past. O(1): keys and values are shared until one of the two needs other ones.
  package func fork() -> LanguageModelSession {
    LanguageModelSession(
      model, CachedSequence(sequence.cache.fork(), adapter: sequence.adapter), ledger, adapter)
  }

  // MARK: The reply

  /// Has the model write a reply to `message`, and leaves out old turns where it needs their room. Cancelling the task stops it at the
  /// next token, with what there is.
  /// - Throws: `LanguageModelError.messageTooLong`, `InferenceError`, `SamplingError`.
  package mutating func generate(
    _ message: String, _ options: GenerationOptions, onText: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    try model.check(options)
    try model.checkLength(ofMessage: message)
    return try await model.observing(.chat, options) { try await write(message, options, onText: onText) }
  }

  /// As ``generate(_:_:onText:)``, for who has checked message and options, and observes.
  mutating func write(
    _ message: String, _ options: GenerationOptions, onText: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    let prompt = try makeRoom(for: message, reserve: options.maximumTokens, keepsMost: options.keepsMostTurns)
    var result = try await model.worker.generate(
      prompt, in: sequence, options, endTokens: model.endTokens, emit: onText)
    result.usage.droppedTurns = ledger.droppedTurns - toldDrops
    return result
  }

  /// Leaves out old turns where `message` needs their room.
  /// - Returns: the prompt.
  private mutating func makeRoom(for message: String, reserve: Int, keepsMost: Bool) throws -> [Int32] {
    let capacity = model.contextLength
    // A reply needs room, but a cap far above any reply must not empty the history.
    let reserve = min(reserve, capacity / 4)
    let minimum = try promptTokensAlone(for: message)
    let prompt = try promptTokens(for: message)
    switch ContextEviction.decide(
      prompt: prompt.count, minimum: minimum, reserve: reserve, capacity: capacity, keepsMost: keepsMost)
    {
    case .fits: return prompt
    case .impossible: throw LanguageModelError.messageTooLong(tokens: minimum + reserve, capacity: capacity)
    case .shrink(let target):
      var shortened = ledger
      try model.encoding { () throws(TokenizerError) in try shortened.dropOldest(for: message, to: target) }
      ledger = shortened
      return try promptTokens(for: message)
    }
  }

  // MARK: Its end

  /// The turn happened.
  /// - Parameter tokens: of the reply, as the model drew them; none: those of its text.
  /// - Throws: `LanguageModelError.tokenizer`; nothing is then committed.
  package mutating func commit(_ message: String, reply: String, tokens: [Int32] = []) throws {
    var longer = ledger
    try model.encoding { () throws(TokenizerError) in
      if tokens.isEmpty {
        try longer.append(userText: message, replyText: reply)
      } else {
        try longer.append(userText: message, replyText: reply, reply: tokens)
      }
    }
    (ledger, toldDrops, isCommitted) = (longer, longer.droppedTurns, true)
  }

  /// There was no turn; what the model is told from the next one on counts.
  package mutating func commitBriefing() { isCommitted = true }
}
