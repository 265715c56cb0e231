// SPDX-License-Identifier: Apache-2.0
/// The pet asks a riddle, and waits for the answer.
package struct RiddleGame: Sendable, Equatable {
  /// Wrong answers until a hint comes by itself, and until it is told.
  private static let (untilHint, untilTold) = (3, 6)
  private static let personal: Set<String> = [
    "i", "im", "ive", "id", "ill", "my", "me", "we", "our", "you", "your", "u", "ur",
  ]
  let index: Int
  var wrong = 0
  var hasHint = false

  package init(index: Int) { self.index = index }

  static func begin(_ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    let game = RiddleGame(index: Int(choice % UInt64(rules.riddles.count)))
    let text = rules.line(.riddleBegins, ["riddle": rules.riddles[game.index].riddle], choice)
    return Pastime.Move(text, .playful, .riddle(game))
  }

  /// A long line is no answer.
  func hear(_ words: [String], _ rules: GameRules, _ choice: UInt64) -> Pastime.Move? {
    guard rules.riddles.indices.contains(index) else { return nil }
    let riddle = rules.riddles[index]
    var game = self
    if rules.asksForHint(words) { return game.hint(riddle, rules, choice) }
    if rules.givesUp(words) { return Pastime.Move(riddle.told, .playful, nil) }
    guard (1...8).contains(words.count) else { return nil }
    if riddle.answers.contains(where: { Self.stands(FoldedText.words($0), in: words) }) {
      return Pastime.Move(rules.line(.right, ["told": riddle.told], choice), .excited, nil)
    }
    // Who speaks of themselves says something else.
    let isGuess = ["i think", "i guess", "i say", "id say"].contains { Self.stands(FoldedText.words($0), in: words) }
    guard isGuess || words.allSatisfy({ !Self.personal.contains($0) }) else { return nil }
    game.wrong += 1
    if game.wrong >= Self.untilTold { return Pastime.Move(riddle.told, .playful, nil) }
    if game.wrong == Self.untilHint, !game.hasHint { return game.hint(riddle, rules, choice) }
    return Pastime.Move(rules.line(.wrong, [:], choice), .playful, .riddle(game))
  }

  private func hint(_ riddle: GameRules.Riddle, _ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    var next = self
    next.hasHint = true
    let text = hasHint ? rules.line(.noMoreHints, [:], choice) : rules.line(.hintBegins, ["hint": riddle.hint], choice)
    return Pastime.Move(text, .playful, .riddle(next))
  }

  static func stands(_ phrase: [String], in words: [String]) -> Bool {
    guard !phrase.isEmpty, phrase.count <= words.count else { return false }
    return (0...(words.count - phrase.count)).contains { Array(words[$0..<$0 + phrase.count]) == phrase }
  }
}
