// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// The next turn of a conversation, in the making (``LanguageModelSession/turn(_:)``).
///
/// A value: nothing of it is in the conversation before it is committed. What the model computes meanwhile stays in the KV cache,
/// and is used again as far as the next prompt begins with the same tokens.
package struct TurnDraft: Sendable {
  package let model: LanguageModel
  private let sequence: CachedSequence
  private let adapter: ModelAdapter?
  private(set) var ledger: TokenLedger
  /// Dropped turns that a result has told of.
  private var toldDrops: Int
  private(set) var isCommitted = false

  init(_ model: LanguageModel, _ sequence: CachedSequence, _ ledger: TokenLedger, _ adapter: ModelAdapter?) {
    self.model = model
    self.sequence = sequence
    self.ledger = ledger
    self.adapter = adapter
    toldDrops = ledger.droppedTurns
  }

  /// The conversation behind this turn, for the next one to begin with.
  var committed: TurnDraft {
    var next = self
    next.isCommitted = false
    return next
  }

  // MARK: What the model is told

  /// Another system text, in the place of all that there were: the conversation behind it must be read again.
  /// - Throws: `LanguageModelError.tokenizer`.
  package mutating func replaceInstructions(_ instructions: Instructions?) throws {
    let old = ledger
    guard !old.isToldOnly(instructions) else { return }
    ledger = try model.encoding { () throws(TokenizerError) in try old.replacingSystem(instructions) }
  }

  /// Another system text, from the next turn on, said behind the conversation: what was read stays as it is, and so does what the
  /// earlier text told. Of a text to which something is added, that is said alone where the text itself is known. In formats that
  /// have a system message at the start only, as ``replaceInstructions(_:)``.
  /// - Parameter again: after so many turns the same text is said again: a small model loses sight of what is far back.
  /// - Throws: `LanguageModelError.tokenizer`.
  package mutating func brief(_ instructions: Instructions?, again: Int) throws {
    var briefed = ledger
    try model.encoding { () throws(TokenizerError) in try briefed.brief(instructions, again: again) }
    ledger = briefed
  }

  /// What is to be said of turns that are left out: it stands behind the system text from the next time on.
  package mutating func summarize(_ text: String?) { ledger.summary = text }

  // MARK: Room

  /// Tokens that a message may have where nothing was said before.
  /// - Parameter reserve: tokens to keep for the reply.
  /// - Throws: `LanguageModelError.tokenizer`.
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

  /// The turns that must go before a message of so many tokens, oldest first.
  /// - Parameters:
  ///   - message: tokens to expect of it.
  ///   - reserve: tokens to keep for the reply.
  /// - Throws: `LanguageModelError.tokenizer`.
  package func turnsToDrop(message: Int, reserve: Int) throws -> [LanguageModelSession.Turn] {
    let count = try shortened(message: message, reserve: reserve).droppedTurns - ledger.droppedTurns
    return ledger.exchanges.prefix(count).map { .init(user: $0.userText, reply: $0.replyText) }
  }

  /// Leaves out the turns of ``turnsToDrop(message:reserve:)``.
  mutating func makeRoom(message: Int, reserve: Int) throws {
    ledger = try shortened(message: message, reserve: reserve)
  }

  /// Reads what is known of the next prompt.
  func prefill() async throws {
    let known = try model.encoding { () throws(TokenizerError) in try ledger.knownTokens() }
    // A longer conversation, of another model's context, loses turns with the next message.
    guard known.count < model.contextLength else { return }
    try await model.worker.prefill(known, into: sequence)
  }

  /// The conversation with room for a message of so many tokens and its reply.
  private func shortened(message: Int, reserve: Int) throws -> TokenLedger {
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
    try await model.observing(.chat, options) {
      try model.check(options)
      try model.checkLength(ofMessage: message)
      return try await write(message, options, onText: onText)
    }
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
  package mutating func commit(
    _ message: String, reply: String, tokens: [Int32] = []
  ) throws(LanguageModelError) {
    try append(LanguageModelSession.Turn(user: message, reply: reply), tokens: tokens)
    (toldDrops, isCommitted) = (ledger.droppedTurns, true)
  }

  /// A turn that was answered elsewhere: the next result tells of turns that went before it. What cannot be encoded changes nothing.
  /// - Throws: `LanguageModelError.tokenizer`.
  mutating func append(_ turn: LanguageModelSession.Turn, tokens: [Int32]) throws(LanguageModelError) {
    try model.encoding { () throws(TokenizerError) in
      if tokens.isEmpty {
        try ledger.append(userText: turn.user, replyText: turn.reply)
      } else {
        try ledger.append(userText: turn.user, replyText: turn.reply, reply: tokens)
      }
    }
  }

  /// The model reads other words in the place of its last replies, of those turns whose words are written nowhere.
  /// - Throws: `LanguageModelError.tokenizer`.
  package mutating func rewordLast(_ count: Int, as reply: String) throws(LanguageModelError) {
    guard count > 0 else { return }
    var reworded = ledger
    try model.encoding { () throws(TokenizerError) in try reworded.rewordLast(count, as: reply) }
    ledger = reworded
  }

  /// The model reads other words in the place of all turns of which a line `isGone`, and no summary of earlier ones.
  /// - Throws: `LanguageModelError.tokenizer`.
  package mutating func redact(
    as user: String, _ reply: String, where isGone: (String) -> Bool
  ) throws(LanguageModelError) {
    var redacted = ledger
    try model.encoding { () throws(TokenizerError) in try redacted.redact(as: user, reply, where: isGone) }
    ledger = redacted
  }

  /// The words of the last turn are written nowhere.
  mutating func markUnwritten() { ledger.markUnwritten() }

  /// There was no turn; what the model is told from the next one on counts.
  package mutating func commitBriefing() { isCommitted = true }
}
