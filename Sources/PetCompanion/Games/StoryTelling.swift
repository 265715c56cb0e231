// SPDX-License-Identifier: Apache-2.0
/// A story that is told in parts, of which each waits for "go on".
package struct StoryTelling: Sendable, Equatable {
  let index: Int
  /// The part that comes next.
  var part = 1

  package init(index: Int, part: Int = 1) { (self.index, self.part) = (index, part) }

  /// - Parameter words: of who asks for it; a story about one of them is told, if there is one.
  static func begin(_ rules: GameRules, asked words: [String], _ choice: UInt64) -> Pastime.Move {
    let fits = rules.stories.indices.map { index in words.count { rules.stories[index].about.contains($0) } }
    let best = fits.max() ?? 0
    let open = rules.stories.indices.filter { fits[$0] == best }
    let index = open[Int(choice % UInt64(open.count))]
    return move(index, 0, rules, choice)
  }

  func hear(_ words: [String], _ rules: GameRules, _ choice: UInt64) -> Pastime.Move? {
    guard rules.stories.indices.contains(index), rules.stories[index].parts.indices.contains(part), rules.goesOn(words)
    else { return nil }
    return Self.move(index, part, rules, choice)
  }

  private static func move(_ index: Int, _ part: Int, _ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    let story = rules.stories[index]
    let begin = part == 0 ? "\(story.title). " : ""
    guard part + 1 < story.parts.count else {
      return Pastime.Move("\(begin)\(story.parts[part]) \(rules.line(.storyEnds, [:], choice))", .content, nil)
    }
    let text = "\(begin)\(story.parts[part]) \(rules.line(.storyGoesOn, [:], choice))"
    return Pastime.Move(text, .content, .story(StoryTelling(index: index, part: part + 1)))
  }
}
