// SPDX-License-Identifier: Apache-2.0
import PetText

/// What pets say to a message that tells one plain fact, written by hand for each temperament: `prompts/told.json`. A small model
/// takes up half of what it is told.
package struct ToldLines: Sendable, Decodable {
  /// What the fact is.
  package enum Kind: String, Sendable, CaseIterable {
    case name, likes, dislikes, other
  }

  private let lines: TemperamentLines

  /// - Throws: `DecodingError` where the plain set or a kind is missing, or a kind has fewer than two lines.
  package init(from decoder: any Decoder) throws {
    lines = try TemperamentLines(from: decoder)
    try lines.check(Kind.allCases.map(\.rawValue), decoder)
  }

  /// The lines that are built in.
  package static let standard: ToldLines = BuiltInText.decode("told.json", PackageResources.told_json)

  /// - Parameters:
  ///   - value: the name, where that is what was told.
  ///   - clause: as said to the person, in small letters: "you live in Lyon".
  ///   - temperament: as in ``PromptFormat/Pet/temperament``.
  ///   - choice: any number; the same gives the same line.
  ///   - last: what was said last; it is not said again.
  package func reply(
    _ kind: Kind, value: String, clause: String, temperament: String, choice: UInt64, last: String? = nil
  ) -> Reply? {
    lines.reply(
      kind.rawValue, temperament: temperament,
      values: ["value": value, "told": clause, "Told": clause.sentenceCased],
      choice: choice, last: last)
  }

  /// As they are written, by temperament and kind.
  package var all: [String: [String: [String]]] { lines.all }
}
