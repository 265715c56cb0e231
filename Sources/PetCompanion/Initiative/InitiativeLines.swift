// SPDX-License-Identifier: Apache-2.0
import PetText

/// What a pet says when it speaks first, written by hand for each temperament: `prompts/initiative.json`.
package struct InitiativeLines: Sendable, Decodable {
  private let lines: TemperamentLines

  /// - Throws: `DecodingError` where the plain set or a kind is missing, or a kind has fewer than two lines.
  package init(from decoder: any Decoder) throws {
    lines = try TemperamentLines(from: decoder)
    try lines.check(Self.kinds, decoder)
  }

  /// The lines that are built in.
  package static let standard: InitiativeLines = BuiltInText.decode("initiative.json", PackageResources.initiative_json)

  /// What a pet says; nil where it says nothing.
  /// - Parameters:
  ///   - temperament: as in ``PromptFormat/Pet/temperament``, such as "shy and gentle": its first word that has a set counts.
  ///   - choice: any number; the same gives the same line.
  ///   - last: what it last said of its own accord; it does not say it again at once.
  package func reply(to initiative: Initiative, temperament: String, choice: UInt64, last: String? = nil) -> Reply? {
    guard let kind = Self.kind(initiative) else { return nil }
    var values: [String: String] = [:]
    if case .followUp(let told) = initiative { values = ["told": told, "Told": told.sentenceCased] }
    return lines.reply(kind, temperament: temperament, values: values, choice: choice, last: last)
  }

  private static func kind(_ initiative: Initiative) -> String? {
    switch initiative {
    case .nothing: nil
    case .welcomeBack(let absence): "welcome_\(absence.rawValue)"
    case .followUp: "follow_up"
    case .birthday: "birthday"
    case .need(let need): need.rawValue
    case .checkIn: "check_in"
    }
  }

  private static let kinds =
    Absence.allCases.compactMap { kind(.welcomeBack($0)) } + PetNeed.allCases.map(\.rawValue) + [
      "check_in", "follow_up", "birthday",
    ]

  /// By temperament and kind, as they are written.
  package var all: [String: [String: [String]]] { lines.all }
}
