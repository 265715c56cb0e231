import PetTokenizer

/// The truth about a conversation: the exact tokens the model saw.
///
/// Replies stay as they were drawn. Encoding their text again may give other tokens (spaces move), which would change
/// what the model believes it said and make the cached keys and values useless.
package struct TokenLedger: Sendable {
  package struct Exchange: Sendable {
    package var userText: String
    package var replyText: String
    package var user: [Int32]
    /// The reply and what closes it.
    package var reply: [Int32]
  }

  package let system: String?
  private let template: ChatTemplate
  private let tokenizer: any Tokenizer
  package private(set) var exchanges: [Exchange] = []
  package private(set) var droppedTurns: Int

  package init(system: String?, template: ChatTemplate, tokenizer: any Tokenizer, droppedTurns: Int = 0) {
    self.system = system
    self.droppedTurns = droppedTurns
    self.template = template
    self.tokenizer = tokenizer
  }

  /// Everything up to the reply to `userText`.
  package func prompt(for userText: String) throws(TokenizerError) -> [Int32] {
    try exchanges.reduce(into: []) { $0 += $1.user + $1.reply } + userTokens(userText, isFirst: exchanges.isEmpty)
  }

  /// What the next prompt begins with, whatever is said.
  package func knownTokens() throws(TokenizerError) -> [Int32] {
    exchanges.isEmpty ? try openingTokens() : exchanges.flatMap { $0.user + $0.reply }
  }

  /// The same conversation behind another system text.
  package func replacingSystem(_ system: String?) throws(TokenizerError) -> TokenLedger {
    var other = TokenLedger(system: system, template: template, tokenizer: tokenizer, droppedTurns: droppedTurns)
    other.exchanges = exchanges
    if let first = exchanges.first { other.exchanges[0].user = try other.openingTurn(first.userText) }
    return other
  }

  /// The same conversation with other words in the last reply; unchanged where there is none.
  package func replacingLastReply(with text: String) throws(TokenizerError) -> TokenLedger {
    guard let last = exchanges.last else { return self }
    var other = self
    other.exchanges.removeLast()
    try other.append(userText: last.userText, replyText: text)
    return other
  }

  /// The opening alone: what a conversation can prepare before anybody has spoken. Empty where the template writes the
  /// system text into the first turn.
  package func openingTokens() throws(TokenizerError) -> [Int32] {
    switch template.family {
    case .llama2, .gemma: []
    default: try tokenizer.encode(template.opening(system: system), following: nil)
    }
  }

  package mutating func append(userText: String, replyText: String, reply: [Int32]) throws(TokenizerError) {
    let turnEnd = try tokenizer.encode([template.turnEnd], following: nil)
    let closing = template.closing(turnEndIsThere: !turnEnd.isEmpty && reply.suffix(turnEnd.count) == turnEnd[...])
    exchanges.append(
      Exchange(
        userText: userText, replyText: replyText,
        user: try userTokens(userText, isFirst: exchanges.isEmpty),
        reply: reply + (try tokenizer.encode(closing, following: reply.last))))
  }

  /// Appends an exchange as a model with the same vocabulary saw it.
  package mutating func append(userText: String, replyText: String, closed reply: [Int32]) throws(TokenizerError) {
    exchanges.append(
      Exchange(
        userText: userText, replyText: replyText, user: try userTokens(userText, isFirst: exchanges.isEmpty),
        reply: reply))
  }

  /// Appends a reply that is known as text only.
  package mutating func append(userText: String, replyText: String) throws(TokenizerError) {
    let user = try userTokens(userText, isFirst: exchanges.isEmpty)
    exchanges.append(
      Exchange(
        userText: userText, replyText: replyText, user: user,
        reply: try tokenizer.encode(template.assistantTurn(replyText), following: user.last)))
  }

  /// Leaves out the oldest exchange, whole; the system text stays. Returns false where there is none.
  package mutating func dropOldest() throws(TokenizerError) -> Bool {
    guard !exchanges.isEmpty else { return false }
    exchanges.removeFirst()
    droppedTurns += 1
    // What opens the conversation belongs to the turn that is now the first.
    if let first = exchanges.first { exchanges[0].user = try openingTurn(first.userText) }
    return true
  }

  private func userTokens(_ text: String, isFirst: Bool) throws(TokenizerError) -> [Int32] {
    isFirst
      ? try openingTurn(text)
      : try tokenizer.encode(template.userTurn(text, at: .later), following: exchanges.last?.reply.last)
  }

  /// The first message with all that comes before it.
  private func openingTurn(_ text: String) throws(TokenizerError) -> [Int32] {
    let place: ChatTemplate.UserTurnPlace = system == nil ? .first : .firstAfterSystem
    return try tokenizer.encode(
      template.opening(system: system) + template.userTurn(text, at: place), following: nil)
  }
}
