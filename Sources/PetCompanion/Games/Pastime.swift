// SPDX-License-Identifier: Apache-2.0
/// What becomes of it with a reply.
package enum PastimeChange: Sendable, Equatable {
  case goesOn(Pastime)
  case ends
}

/// A game or a story that goes on from line to line. A value: whoever plays keeps it between the lines.
package enum Pastime: Sendable, Equatable {
  case number(NumberGame)
  case riddle(RiddleGame)
  case hiding(HidingGame)
  case words(WordChain)
  case twenty(TwentyQuestions)
  case hands(HandsGame)
  case story(StoryTelling)

  /// What a line does in it.
  package struct Move: Sendable, Equatable {
    package let text: String
    package let emotion: Emotion
    /// Nil where it is over.
    package let next: Pastime?

    init(_ text: String, _ emotion: Emotion, _ next: Pastime?) {
      (self.text, self.emotion, self.next) = (text, emotion, next)
    }
  }

  /// What can be played.
  package enum Kind: String, Sendable, CaseIterable, Decodable, CodingKeyRepresentable {
    case number, riddle, hiding, words, twenty, hands, story
  }

  /// - Parameters:
  ///   - words: of the line that asks for it, as ``FoldedText`` has them.
  ///   - choice: any number; picks what is played.
  package static func begin(_ kind: Kind, asked words: [String], _ rules: GameRules, choice: UInt64) -> Move {
    switch kind {
    case .number: NumberGame.begin(rules, choice)
    case .riddle: RiddleGame.begin(rules, choice)
    case .hiding: HidingGame.begin(rules, choice)
    case .words: WordChain.begin(rules, choice)
    case .twenty: TwentyQuestions.begin(rules, choice)
    case .hands: HandsGame.begin(rules, choice)
    case .story: StoryTelling.begin(rules, asked: words, choice)
    }
  }

  /// Nil for a line that is not meant for it.
  package func hear(_ words: [String], _ rules: GameRules, choice: UInt64) -> Move? {
    if rules.ends(words) { return Move(rules.line(.stopped, [:], choice), .content, nil) }
    switch self {
    case .number(let game): return game.hear(words, rules, choice)
    case .riddle(let game): return game.hear(words, rules, choice)
    case .hiding(let game): return game.hear(words, rules, choice)
    case .words(let game): return game.hear(words, rules, choice)
    case .twenty(let game): return game.hear(words, rules, choice)
    case .hands(let game): return game.hear(words, rules, choice)
    case .story(let story): return story.hear(words, rules, choice)
    }
  }
}
