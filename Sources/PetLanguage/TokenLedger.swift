// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// The truth about a conversation: the exact tokens the model saw.
///
/// Replies stay as they were drawn. Encoding their text again may give other tokens (spaces move), which would change
/// what the model believes it said and make the cached keys and values useless.
///
/// A system text that changes is said again behind the last turn, or only what is added to it, so that what was read before stays as
/// it is; when turns are left out all is read anew, and only the last text remains, at the start.
package struct TokenLedger: Sendable {
  package struct Exchange: Sendable {
    package var userText: String
    package var replyText: String
    package var briefing: Briefing?
    package var user: [Int32]
    /// The reply and what closes it.
    package var reply: [Int32]
    /// Whether its words are written nowhere.
    package var isUnwritten = false
  }

  /// What is said before a turn, of a system text that takes the place of earlier ones.
  package struct Briefing: Sendable, Equatable, Codable {
    /// All of it, or what is added.
    let said: String
    /// What the model has been told with it.
    let told: Instructions

    var isWhole: Bool { said == told.whole }
  }

  /// What the model is told from the next turn on.
  package private(set) var system: Instructions?
  /// Of the turns that were left out: stands behind the system text at the start, from the next time that turns are left out.
  package var summary: String?
  /// What it was told at the start.
  package private(set) var opening: Instructions?
  package private(set) var openingSummary: String?
  /// What it was told last.
  private var told: Instructions?
  /// Whether the system text is to be said again.
  private var isDue = false
  private let template: ChatTemplate
  private let tokenizer: any Tokenizer
  package private(set) var exchanges: [Exchange] = []
  package private(set) var droppedTurns: Int
  /// Of them, those whose words are written nowhere.
  package private(set) var droppedUnwritten: Int

  package init(
    system: Instructions?, summary: String? = nil, template: ChatTemplate, tokenizer: any Tokenizer,
    droppedTurns: Int = 0, droppedUnwritten: Int = 0
  ) {
    self.system = system
    self.summary = summary
    opening = system
    openingSummary = summary
    told = system
    self.droppedTurns = droppedTurns
    self.droppedUnwritten = droppedUnwritten
    self.template = template
    self.tokenizer = tokenizer
  }

  /// Everything up to the reply to `userText`.
  package func prompt(for userText: String) throws(TokenizerError) -> [Int32] {
    try exchanges.reduce(into: []) { $0 += $1.user + $1.reply } + userTokens(userText, briefing)
  }

  /// What the next prompt begins with, whatever is said: also what the model is to be told before it.
  package func knownTokens() throws(TokenizerError) -> [Int32] {
    let (one, other) = (try prompt(for: "a"), try prompt(for: "I"))
    return Array(one.prefix(zip(one, other).prefix { $0 == $1 }.count))
  }

  /// Another system text, said before the next turn; from the start where nothing was said yet, and in formats that have a system
  /// message at the start only.
  /// - Parameter turns: after so many the same text is said again: a small model loses sight of what is far back.
  package mutating func brief(_ system: Instructions?, again turns: Int = .max) throws(TokenizerError) {
    guard let system, !exchanges.isEmpty, template.systemTurn(system.whole) != nil else {
      return self = system == self.system ? self : try replacingSystem(system)
    }
    self.system = system
    isDue = exchanges.count - (exchanges.lastIndex { $0.briefing?.isWhole == true } ?? 0) >= turns
  }

  /// Whether a system text, and what stands behind it, is all that the model was ever told.
  package func isToldOnly(_ system: Instructions?) -> Bool {
    system == self.system && system == opening && summary == openingSummary
      && exchanges.allSatisfy { $0.briefing == nil }
  }

  /// The same conversation behind another system text, as if there had been no other.
  package func replacingSystem(_ system: Instructions?) throws(TokenizerError) -> TokenLedger {
    var other = TokenLedger(
      system: system, summary: summary, template: template, tokenizer: tokenizer, droppedTurns: droppedTurns,
      droppedUnwritten: droppedUnwritten)
    other.exchanges = exchanges
    try other.beginAnew()
    return other
  }

  package mutating func append(userText: String, replyText: String, reply: [Int32]) throws(TokenizerError) {
    let turnEnd = try tokenizer.encode([template.turnEnd], following: nil)
    let closing = template.closing(turnEndIsThere: !turnEnd.isEmpty && reply.suffix(turnEnd.count) == turnEnd[...])
    try append(
      userText: userText, replyText: replyText,
      closed: reply + (try tokenizer.encode(closing, following: reply.last)))
  }

  /// Appends an exchange as a model with the same vocabulary saw it.
  package mutating func append(userText: String, replyText: String, closed reply: [Int32]) throws(TokenizerError) {
    append(userText, try userTokens(userText, briefing), replyText, reply)
  }

  /// Appends a reply that is known as text only.
  package mutating func append(userText: String, replyText: String) throws(TokenizerError) {
    let user = try userTokens(userText, briefing)
    append(
      userText, user, replyText, try tokenizer.encode(template.assistantTurn(replyText), following: user.last))
  }

  private mutating func append(_ userText: String, _ user: [Int32], _ replyText: String, _ reply: [Int32]) {
    let briefing = self.briefing
    exchanges.append(
      Exchange(userText: userText, replyText: replyText, briefing: briefing, user: user, reply: reply))
    if let briefing { told = briefing.told }
    isDue = false
  }

  /// Leaves out the oldest exchanges, whole: at least one, and as few as bring the prompt for `userText` to `target`
  /// tokens, or all; the system text stays. One pass over the conversation.
  package mutating func dropOldest(for userText: String, to target: Int) throws(TokenizerError) {
    guard !exchanges.isEmpty else { return }
    try drop(1)
    // Of what is left only the first turn, with all that comes before it, depends on what else goes.
    let least = try leastBeforeFirst()
    var tokens = try prompt(for: userText).count
    var count = 0
    for exchange in exchanges {
      tokens -= exchange.user.count
      // The system text is encoded with each that may be the first: only where that may be enough.
      if tokens + least <= target, try tokens + openingTurn(exchange.userText).count <= target { break }
      tokens -= exchange.reply.count
      count += 1
    }
    if count > 0 { try drop(count) }
  }

  /// The words of the last exchange are written nowhere.
  package mutating func markUnwritten() {
    guard !exchanges.isEmpty else { return }
    exchanges[exchanges.count - 1].isUnwritten = true
  }

  /// Another reply in the place of the last ones, of those exchanges whose words are written nowhere.
  package mutating func rewordLast(_ count: Int, as reply: String) throws(TokenizerError) {
    for place in exchanges.indices.suffix(count) where exchanges[place].isUnwritten {
      exchanges[place].replyText = reply
      exchanges[place].reply = try tokenizer.encode(
        template.assistantTurn(reply), following: exchanges[place].user.last)
    }
  }

  /// Other words in the place of all exchanges of which a line `isGone`; what was summed up of those that were left out goes, too.
  package mutating func redact(
    as userText: String, _ replyText: String, where isGone: (String) -> Bool
  ) throws(TokenizerError) {
    let places = exchanges.indices.filter { isGone(exchanges[$0].userText) || isGone(exchanges[$0].replyText) }
    for place in places {
      exchanges[place].userText = userText
      exchanges[place].replyText = replyText
    }
    summary = nil
    try beginAnew()
    for place in places {
      if place > 0 { exchanges[place].user = try laterTurn(userText, nil, after: place) }
      exchanges[place].reply = try tokenizer.encode(
        template.assistantTurn(replyText), following: exchanges[place].user.last)
    }
  }

  private mutating func drop(_ count: Int) throws(TokenizerError) {
    droppedUnwritten += exchanges.prefix(count).count(where: \.isUnwritten)
    exchanges.removeFirst(count)
    droppedTurns += count
    try beginAnew()
  }

  /// The system text stands at the start of what is now the first exchange, and nowhere else.
  private mutating func beginAnew() throws(TokenizerError) {
    opening = system
    openingSummary = summary
    told = system
    isDue = false
    for place in exchanges.indices where place == 0 || exchanges[place].briefing != nil {
      exchanges[place].briefing = nil
      exchanges[place].user =
        place == 0
        ? try openingTurn(exchanges[0].userText) : try laterTurn(exchanges[place].userText, nil, after: place)
    }
  }

  /// What is to be said before the next turn; nil where the model has been told.
  private var briefing: Briefing? {
    guard let system, !exchanges.isEmpty else { return nil }
    if isDue || system.text != told?.text { return Briefing(said: system.whole, told: system) }
    // What it was told before it may know still.
    guard !system.addition.isEmpty, system.addition != told?.addition else { return nil }
    return Briefing(said: String(system.addition.drop(while: \.isWhitespace)), told: system)
  }

  private func userTokens(_ text: String, _ briefing: Briefing?) throws(TokenizerError) -> [Int32] {
    exchanges.isEmpty ? try openingTurn(text) : try laterTurn(text, briefing, after: exchanges.count)
  }

  /// A message behind others, and what is said before it.
  private func laterTurn(_ text: String, _ briefing: Briefing?, after count: Int) throws(TokenizerError) -> [Int32] {
    let system = briefing.flatMap { template.systemTurn($0.said) } ?? []
    return try tokenizer.encode(
      system + template.userTurn(text, at: .later), following: exchanges[count - 1].reply.last)
  }

  /// The first message with all that comes before it.
  private func openingTurn(_ text: String) throws(TokenizerError) -> [Int32] {
    try tokenizer.encode(
      template.opening(system: openingText) + template.userTurn(text, at: firstPlace), following: nil)
  }

  /// Tokens that come before any first message, at the least: where no special token parts the two they are one text.
  private func leastBeforeFirst() throws(TokenizerError) -> Int {
    guard case .special? = template.userTurn("", at: firstPlace).first else { return 0 }
    return try tokenizer.encode(template.opening(system: openingText), following: nil).count
  }

  private var firstPlace: ChatTemplate.UserTurnPlace { openingText == nil ? .first : .firstAfterSystem }

  private var openingText: String? { openingSummary.map { (opening?.whole ?? "") + $0 } ?? opening?.whole }
}
