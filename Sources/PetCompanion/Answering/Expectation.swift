// SPDX-License-Identifier: Apache-2.0
/// What a model's reply must show not to be replaced.
package enum Expectation: Sendable, Equatable {
  case shows(Sentiment, to: String)
  /// No cheer, behind danger.
  case isSober

  package func isMet(by reply: Reply) -> Bool {
    switch self {
    case .shows(let sentiment, let message): SympathyLines.standard.shows(sentiment, reply, to: message)
    case .isSober: Self.isSober(reply)
    }
  }

  private static let cheer: Set<String> = [
    "glad", "yay", "hooray", "haha", "hehe", "hihi", "fun", "awesome", "amazing", "wonderful", "congratulations",
    "party", "wahey",
    "woohoo", "yippee", "exciting", "excited", "hilarious", "delicious", "lovely", "fantastic", "perfect",
  ]

  private static func isSober(_ reply: Reply) -> Bool {
    switch reply.emotion {
    case .happy, .excited, .playful, .proud: return false
    default: break
    }
    let isCheerful = reply.actions.contains { [.jump, .spin, .dance, .sing, .laugh, .wagTail, .playBall].contains($0) }
    return !isCheerful && !reply.text.contains("!") && cheer.isDisjoint(with: FoldedText.words(reply.text))
  }
}
