// SPDX-License-Identifier: Apache-2.0
/// The pet thinks of a number, and the person guesses it.
package struct NumberGame: Sendable, Equatable {
  static let range = 1...100
  let secret: Int
  var guesses = 0

  package init(secret: Int) { self.secret = secret }

  static func begin(_ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    let game = NumberGame(secret: range.lowerBound + Int(choice % UInt64(range.count)))
    return Pastime.Move(rules.line(.numberBegins, [:], choice), .playful, .number(game))
  }

  /// A line without a number in it, or a long one, is no guess.
  func hear(_ words: [String], _ rules: GameRules, _ choice: UInt64) -> Pastime.Move? {
    if rules.givesUp(words) { return Pastime.Move(rules.line(.gaveUpNumber, values, choice), .playful, nil) }
    guard words.count <= 5, Self.personal.isDisjoint(with: words), let guess = Self.number(in: words)
    else { return nil }
    var game = self
    guard Self.range.contains(guess) else {
      return Pastime.Move(rules.line(.notBetween, [:], choice), .playful, .number(game))
    }
    game.guesses += 1
    if guess == secret { return Pastime.Move(rules.line(.found, game.values, choice), .excited, nil) }
    return Pastime.Move(
      rules.line(guess < secret ? .higher : .lower, ["guess": "\(guess)"], choice), .playful, .number(game))
  }

  private var values: [String: String] {
    ["number": "\(secret)", "count": guesses == 1 ? "one guess" : "\(guesses) guesses"]
  }

  /// The first number of a line: in digits, or in words, as in "fifty five" and "one hundred".
  private static func number(in line: [String]) -> Int? {
    guard let place = line.firstIndex(where: { number($0) != nil }), let first = number(line[place]) else { return nil }
    guard Int(line[place]) == nil, let next = line.dropFirst(place + 1).first.flatMap(number) else { return first }
    if (20..<100).contains(first), first % 10 == 0, (1..<10).contains(next) { return first + next }
    return first == 1 && next == 100 ? next : first
  }

  /// In digits, or one of the words that are a whole number by themselves.
  private static func number(_ word: String) -> Int? {
    Int(word) ?? words.firstIndex(of: word).map { $0 < 20 ? $0 + 1 : ($0 - 17) * 10 }
  }

  /// Who speaks of themselves, or asks for a sum, does not guess.
  private static let personal: Set<String> = ["i", "im", "my", "me", "we", "have", "what", "times", "plus", "minus"]

  private static let words = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen",
    "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred",
  ]
}
