// SPDX-License-Identifier: Apache-2.0
import PetText

/// What is told when a pet is cared for, written by hand: `prompts/care.json`. By action, or by the reason why it declines.
package struct CareLines: Sendable, Decodable {
  private let lines: [String: [String]]

  /// - Throws: `DecodingError` where an action or a reason has fewer than two lines.
  package init(from decoder: any Decoder) throws {
    lines = try [String: [String]](from: decoder)
    let kinds = CareAction.allCases.map(\.rawValue) + CareRefusal.allCases.map(\.rawValue)
    try WrittenLines.check(lines, for: kinds, decoder)
  }

  /// The lines that are built in.
  package static let standard: CareLines = BuiltInText.decode("care.json", PackageResources.care_json)

  /// One sentence or two about the pet, with its name.
  /// - Parameters:
  ///   - gift: what it is fed; named where it takes it.
  ///   - choice: any number; the same gives the same line.
  ///   - last: what was told last; it is not told again at once.
  package func line(
    for result: CareResult, gift: CareGift? = nil, name: String, choice: UInt64, last: String? = nil
  ) -> String {
    let kind =
      switch result.outcome {
      case .accepted: result.action.rawValue
      case .declined(let refusal): refusal.rawValue
      }
    let named = (lines[kind] ?? []).map { $0.replacing("{name}", with: name) }
    let line = WrittenLines.pick(named, choice: choice, last: last) ?? ""
    guard case .accepted = result.outcome, let gift else { return line }
    return "\(gift.name.sentenceCased)! \(line)"
  }

  /// As they are written.
  package var all: [String] { lines.values.flatMap { $0 } }
}
