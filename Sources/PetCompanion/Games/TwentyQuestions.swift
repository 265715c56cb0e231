// SPDX-License-Identifier: Apache-2.0
/// The person thinks of something, and the pet finds it by questions.
///
/// Each thing counts less with every answer that it contradicts, so that one wrong answer seldom loses it; asked is what parts those that
/// are left most evenly.
package struct TwentyQuestions: Sendable, Equatable {
  package enum Answer: Sendable, Equatable { case yes, no, maybe }

  package enum Step: Sendable, Equatable {
    case question(Int)
    case guess(Int)
  }

  private static let most = 20
  /// What a thing keeps of its weight where an answer contradicts it.
  private static let contradicted = 0.05
  /// The share of the likeliest thing from which on it is guessed.
  private static let sure = 0.7

  private var answers: [Int: Answer] = [:]
  private var guessed: Set<Int> = []
  package private(set) var step = Step.question(0)
  private var asked: Int { answers.count + guessed.count }

  static func begin(_ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    var game = TwentyQuestions()
    game.step = game.next(rules, choice)
    // Some question parts the things: `GameRules` sees to it.
    guard case .question(let index) = game.step else {
      return Pastime.Move(rules.line(.stopped, [:], choice), .content, nil)
    }
    let text = rules.line(.twentyBegins, ["question": rules.questions[index].ask], choice)
    return Pastime.Move(text, .playful, .twenty(game))
  }

  /// What is neither yes, no nor something between is no answer.
  func hear(_ words: [String], _ rules: GameRules, _ choice: UInt64) -> Pastime.Move? {
    guard let answer = rules.answer(words) else {
      return rules.givesUp(words) ? Pastime.Move(rules.line(.stopped, [:], choice), .content, nil) : nil
    }
    var game = self
    switch step {
    case .question(let index): game.answers[index] = answer
    case .guess(let index) where answer == .yes:
      guard rules.things.indices.contains(index) else { return nil }
      let values = ["thing": rules.things[index].name.sentenceCased, "count": "\(asked + 1)"]
      return Pastime.Move(rules.line(.twentyFound, values, choice), .excited, nil)
    case .guess(let index): game.guessed.insert(index)
    }
    guard game.asked < Self.most else { return Pastime.Move(rules.line(.twentyBeaten, [:], choice), .surprised, nil) }
    game.step = game.next(rules, choice)
    let number = "\(game.asked + 1)"
    let text =
      switch game.step {
      case .question(let index):
        rules.line(.twentyAsks, ["number": number, "question": rules.questions[index].ask], choice)
      case .guess(let index):
        rules.line(.twentyGuesses, ["number": number, "thing": rules.things[index].name], choice)
      }
    return Pastime.Move(text, .playful, .twenty(game))
  }

  /// What parts what is left best; a thing, where that is nearly sure, or nothing parts them.
  /// - Complexity: questions times things.
  private func next(_ rules: GameRules, _ choice: UInt64) -> Step {
    let weights = rules.things.indices.map { thing in
      guessed.contains(thing)
        ? 0
        : answers.reduce(1.0) { $0 * (contradicts(rules.things[thing], $1, rules) ? Self.contradicted : 1) }
    }
    let all = weights.reduce(0, +)
    let best = weights.indices.max { weights[$0] < weights[$1] } ?? 0
    guard all > 0, weights[best] < Self.sure * all, asked + 1 < Self.most else { return .guess(best) }
    let splits = rules.questions.indices.filter { answers[$0] == nil }.map { index in
      let id = rules.questions[index].id
      // Who answers "sometimes" has told nothing.
      var (yes, no) = (0.0, 0.0)
      for (thing, weight) in zip(rules.things, weights) where !thing.maybe.contains(id) {
        if thing.yes.contains(id) { yes += weight } else { no += weight }
      }
      return (index, min(yes, no) / all)
    }
    .sorted { ($0.1, $1.0) > ($1.1, $0.0) }
    guard let first = splits.first, first.1 > 0 else { return .guess(best) }
    // Not the same way every time.
    let open = splits.prefix(asked == 0 ? 3 : 1).filter { $0.1 >= 0.8 * first.1 }
    return .question(open[Int(choice % UInt64(open.count))].0)
  }

  private func contradicts(_ thing: GameRules.Thing, _ answer: (key: Int, value: Answer), _ rules: GameRules) -> Bool {
    guard rules.questions.indices.contains(answer.key), answer.value != .maybe else { return false }
    let id = rules.questions[answer.key].id
    return !thing.maybe.contains(id) && thing.yes.contains(id) != (answer.value == .yes)
  }
}
