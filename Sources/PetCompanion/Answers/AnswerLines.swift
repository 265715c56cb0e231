// SPDX-License-Identifier: Apache-2.0
import PetText

/// What pets say where they were told the answer, or were never told it, written by hand for each temperament: `prompts/answers.json`.
package struct AnswerLines: Sendable, Decodable {
  package enum Kind: String, Sendable, CaseIterable {
    /// A clause to the person: "you have a horse named Saffron".
    case fact
    case untold
    /// It was probably never told.
    case unsure
  }

  private enum CodingKeys: String, CodingKey {
    case functionWords = "function_words"
    case askingWords = "asking_words"
    case personalWords = "personal_words"
    case petWords = "pet_words"
    case rememberingWords = "remembering_words"
    case lines
  }

  let functionWords: Set<String>
  /// A line without any of them asks for nothing.
  let askingWords: Set<String>
  /// What a line without any of them asks for may be known to everybody.
  let personalWords: Set<String>
  /// With one of them, and none of the personal ones or of ``rememberingWords``, a line asks for the pet itself.
  let petWords: Set<String>
  /// Also of those who speak for several.
  let rememberingWords: Set<String>
  private let lines: TemperamentLines

  /// - Throws: `DecodingError` where the plain set or a kind is missing, or a kind has fewer than two lines.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    functionWords = try values.decode(Set<String>.self, forKey: .functionWords)
    askingWords = try values.decode(Set<String>.self, forKey: .askingWords)
    personalWords = try values.decode(Set<String>.self, forKey: .personalWords)
    petWords = try values.decode(Set<String>.self, forKey: .petWords)
    rememberingWords = try values.decode(Set<String>.self, forKey: .rememberingWords)
    lines = try values.decode(TemperamentLines.self, forKey: .lines)
    try lines.check(Kind.allCases.map(\.rawValue), values.superDecoder(forKey: .lines))
  }

  /// The lines that are built in.
  package static let standard: AnswerLines = BuiltInText.decode("answers.json", PackageResources.answers_json)

  /// - Parameters:
  ///   - told: a clause in small letters; nothing where nothing was told.
  ///   - temperament: as in ``PromptFormat/Pet/temperament``.
  ///   - choice: any number; the same gives the same line.
  ///   - last: what was said last; it is not said again.
  package func reply(
    _ kind: Kind, _ told: String = "", temperament: String, choice: UInt64, last: String? = nil
  ) -> Reply? {
    lines.reply(
      kind.rawValue, temperament: temperament,
      values: ["told": told, "Told": told.sentenceCased], choice: choice, last: last)
  }

  /// As they are written, by temperament and kind.
  package var all: [String: [String: [String]]] { lines.all }
}
