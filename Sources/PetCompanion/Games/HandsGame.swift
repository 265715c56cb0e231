// SPDX-License-Identifier: Apache-2.0
/// Rock, paper, scissors, until one of both has won three times. What the pet shows does not hang on what it hears.
package struct HandsGame: Sendable, Equatable {
  private enum Hand: String, CaseIterable {
    case rock, paper, scissors

    init?(named word: String) {
      switch word {
      case "rock", "stone", "rocks", "fist": self = .rock
      case "paper": self = .paper
      case "scissors", "scissor": self = .scissors
      default: return nil
      }
    }

    func beats(_ other: Hand) -> Bool {
      switch (self, other) {
      case (.rock, .scissors), (.paper, .rock), (.scissors, .paper): true
      default: false
      }
    }
  }

  private static let wins = 3
  private var own = 0
  private var theirs = 0

  static func begin(_ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    Pastime.Move(rules.line(.handsBegin, [:], choice), .playful, .hands(HandsGame()))
  }

  /// What a hand is named with.
  private static let fillers: Set<String> = [
    "i", "ill", "choose", "chose", "pick", "take", "show", "have", "go", "with", "for", "a", "the", "my", "hand", "is",
    "ok", "okay", "um", "hm", "hmm", ".", "?",
  ]

  /// What the pet shows: nobody foresees it from the times before.
  package static func hand(for choice: UInt64) -> String { shown(choice).hand.rawValue }

  private static func shown(_ choice: UInt64) -> (hand: Hand, rest: UInt64) {
    let mixed = UInt64(truncatingIfNeeded: FNV1a.of("\(choice)".utf8))
    return (Hand.allCases[Int(mixed % UInt64(Hand.allCases.count))], mixed >> 8)
  }

  /// One of the three, and nothing else.
  func hear(_ words: [String], _ rules: GameRules, _ choice: UInt64) -> Pastime.Move? {
    let own = words.filter { !Self.fillers.contains($0) }
    guard words.count <= 5, own.count == 1, let yours = own.first.flatMap({ Hand(named: $0) }) else {
      return rules.givesUp(words) ? Pastime.Move(rules.line(.stopped, [:], choice), .content, nil) : nil
    }
    let (mine, choice) = Self.shown(choice)
    var game = self
    if mine.beats(yours) { game.own += 1 }
    if yours.beats(mine) { game.theirs += 1 }
    let values = ["mine": mine.rawValue, "yours": yours.rawValue, "score": "\(game.theirs) to \(game.own)"]
    let line: GameRules.Line =
      if game.theirs == Self.wins { .handsYouWin } else if game.own == Self.wins { .handsIWin } else if mine == yours {
        .handsSame
      } else {
        mine.beats(yours) ? .handsMine : .handsYours
      }
    let isOver = [game.own, game.theirs].contains(Self.wins)
    return Pastime.Move(
      rules.line(line, values, choice), mine.beats(yours) ? .excited : .playful, isOver ? nil : .hands(game))
  }
}
