// SPDX-License-Identifier: Apache-2.0
/// An exchange that is close to a message.
package struct BankMatch: Sendable, Equatable {
  /// The share of messages, from 0 to 1, that the reply answers at this score, as measured.
  package let closeness: Double
  /// The score, in thousandths.
  package let points: Int
  package let exchange: BankExchange
  /// Whether the reply can be said as it is: right pet, right state, no fact that the message does not have.
  package let mayAnswer: Bool
  /// Whether the message only adds words to the line, or leaves some out.
  package let tellsSame: Bool

  package init(closeness: Double, points: Int, exchange: BankExchange, mayAnswer: Bool, tellsSame: Bool) {
    self.closeness = closeness
    self.points = points
    self.exchange = exchange
    self.mayAnswer = mayAnswer
    self.tellsSame = tellsSame
  }
}

/// What a ``ReplyBank`` knows about a message.
package struct BankLookup: Sendable, Equatable {
  /// Closest first.
  package let matches: [BankMatch]
  /// Whether the message means the same in the middle of a conversation: no "why?", no "he did".
  package let standsAlone: Bool

  package init(matches: [BankMatch], standsAlone: Bool) {
    self.matches = matches
    self.standsAlone = standsAlone
  }
}
