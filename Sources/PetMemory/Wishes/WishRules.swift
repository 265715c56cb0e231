// SPDX-License-Identifier: Apache-2.0
import PetText

/// How people ask a pet to forget, in plain words, and what it says to it: `prompts/wishes.json`.
package struct WishRules: Sendable, Decodable {
  /// What may come before a wish, and single words that may follow.
  let before: [FactPattern]
  let after: Set<String>
  /// All that is remembered.
  let everything: [FactPattern]
  /// What the slot `rest` names; `weak` ones only where something is remembered of it.
  let about: [FactPattern]
  let weak: [FactPattern]
  /// What is not to be spoken of, and stays.
  let hush: [FactPattern]
  /// How a clause begins that wishes something forgotten, or not spoken of, wherever it stands.
  let general, generalHush: [FactPattern]
  /// Words that name nothing there, and those with which no name of it begins.
  let pale, leading: Set<String>
  /// Words before which such a name ends, and those beside which something was surely told.
  let trailing, telling: Set<String>
  /// How a sentence begins that wishes something forgotten, whatever it is: nothing is learned from it.
  let meant: [FactPattern]
  /// Words of which a line that wishes anything has one.
  package let cues: Set<String>
  /// What was told last.
  let last: [FactPattern]
  /// That what the pet has just said from memory is not so.
  let wrong: [FactPattern]
  /// To the question whether everything is meant, and what may stand beside it.
  let yes, besideYes: Set<String>
  let lines: [WishLine: [String]]

  private enum CodingKeys: String, CodingKey {
    case before, after, everything, about, weak, hush, pale, general, leading, trailing, telling, cues, meant, last
    case wrong, yes, lines
    case besideYes = "beside_yes"
    case generalHush = "general_hush"
  }

  package static let standard: WishRules = BuiltInText.decode("wishes.json", PackageResources.wishes_json)

  /// - Parameters:
  ///   - topic: what it is about, as it is said to the person; goes into the line.
  ///   - choice: any number; the same gives the same line.
  package func line(_ line: WishLine, topic: String = "", choice: UInt64) -> String {
    guard let lines = lines[line], !lines.isEmpty else { return "" }
    return lines[Int(choice % UInt64(lines.count))].replacing("{topic}", with: topic.withoutBraces)
  }
}

/// What is said to a wish.
package enum WishLine: String, Sendable, Decodable, CaseIterable, CodingKeyRepresentable {
  case forgot
  case forgotLast = "forgot_last"
  /// Nothing is remembered of it.
  case nothing
  case hushed
  /// Something is to be forgotten, and not clear what.
  case unclear
  /// Whether everything is meant.
  case sure
  case all
  /// The person has not said yes.
  case kept
  /// Of the same message nothing is kept.
  case beside
  case wrong
  case failed
}
