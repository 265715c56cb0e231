// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// What is kept of a conversation while no model is loaded: some bytes per word instead of keys and values. The next reply reads
/// it again.
public struct SessionState: Sendable, Equatable, Codable {
  public struct Exchange: Sendable, Equatable, Codable {
    public let user: String
    public let reply: String
    let briefing: TokenLedger.Briefing?
    /// The reply and what closes it, as the model saw it.
    let tokens: [Int32]
    /// Whether its words are written nowhere.
    var isUnwritten = false

    private enum CodingKeys: CodingKey { case user, reply, briefing, tokens }
  }

  public var instructions: String? { system?.whole }
  let system: Instructions?
  /// What it began with.
  let opening: Instructions?
  /// What is said of the exchanges that were left out.
  package private(set) var summary: String?
  /// What stands of it at the start.
  private(set) var openingSummary: String?
  public private(set) var exchanges: [Exchange]
  /// Older exchanges that were left out.
  package private(set) var droppedTurns: Int
  /// Of them, those whose words are written nowhere.
  private var droppedUnwritten = 0
  /// All that there were.
  package var turns: Int { exchanges.count + max(0, min(droppedTurns, 1 << 32)) }
  /// Of the vocabulary and the template that the tokens belong to.
  let vocabulary: UInt64

  private enum CodingKeys: CodingKey {
    case system, opening, summary, openingSummary, exchanges, droppedTurns, vocabulary
  }

  init(_ ledger: TokenLedger, vocabulary: UInt64) {
    system = ledger.system
    opening = ledger.opening
    summary = ledger.summary
    openingSummary = ledger.openingSummary
    exchanges = ledger.exchanges.map {
      Exchange(
        user: $0.userText, reply: $0.replyText, briefing: $0.briefing, tokens: $0.reply, isUnwritten: $0.isUnwritten)
    }
    (droppedTurns, droppedUnwritten) = (ledger.droppedTurns, ledger.droppedUnwritten)
    self.vocabulary = vocabulary
  }

  /// The conversation as it may be written down: as if the turns whose words are written nowhere had never been; nil where there
  /// were no others.
  /// - Parameter former: as it was written last: its summary stays, where a later one may tell of such turns.
  package func written(after former: SessionState?) -> SessionState? {
    guard droppedUnwritten > 0 || exchanges.contains(where: \.isUnwritten) else { return self }
    var written = self
    written.exchanges.removeAll(where: \.isUnwritten)
    (written.droppedTurns, written.droppedUnwritten) = (max(0, droppedTurns - droppedUnwritten), 0)
    (written.summary, written.openingSummary) = (former?.summary, former?.openingSummary)
    return written.turns > 0 ? written : nil
  }

  /// The conversation for a model: the same tokens where it has the same vocabulary, else the same words.
  /// - Parameter instructions: in the place of its own.
  func ledger(
    instructions: String?, _ template: ChatTemplate, _ tokenizer: any Tokenizer, vocabulary: UInt64
  ) throws(TokenizerError) -> TokenLedger {
    var ledger = TokenLedger(
      system: opening, summary: openingSummary, template: template, tokenizer: tokenizer,
      droppedTurns: max(0, min(droppedTurns, 1 << 32)), droppedUnwritten: droppedUnwritten)
    let isSame = vocabulary == self.vocabulary
    for exchange in exchanges {
      if let briefing = exchange.briefing { try ledger.brief(briefing.told, again: briefing.isWhole ? 0 : .max) }
      if isSame {
        try ledger.append(userText: exchange.user, replyText: exchange.reply, closed: exchange.tokens)
      } else {
        try ledger.append(userText: exchange.user, replyText: exchange.reply)
      }
      if exchange.isUnwritten { ledger.markUnwritten() }
    }
    try ledger.brief(system)
    ledger.summary = summary
    if let instructions = instructions.map({ Instructions($0) }), !ledger.isToldOnly(instructions) {
      ledger = try ledger.replacingSystem(instructions)
    }
    return ledger
  }
}

extension LanguageModel {
  /// Tells vocabularies and templates apart: FNV-1a over the template's name and every token's bytes. O(size of the vocabulary).
  var vocabularyFingerprint: UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var bytes: [UInt8] = []
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    if case .success(let template) = template { template.family.rawValue.utf8.forEach(mix) }
    for id in 0..<Int32(clamping: tokenizer.vocabularySize) {
      bytes.removeAll(keepingCapacity: true)
      tokenizer.appendBytes(of: id, to: &bytes)
      bytes.forEach(mix)
      // The length separates tokens.
      mix(UInt8(truncatingIfNeeded: bytes.count))
    }
    return hash
  }
}
