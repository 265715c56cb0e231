// SPDX-License-Identifier: Apache-2.0
import PetText

/// Whom to call in danger, by country: `prompts/regions.json`.
package struct CrisisResources: Sendable, Decodable {
  package struct Region: Sendable, Equatable, Decodable {
    package let emergency: String
    /// With what it is called, to stand after "call".
    package let crisis: String
    /// A line for young people, where there is one.
    package let young: String?
    /// For poisonings, where it is not the emergency number.
    package let poison: String?
    /// For who is hurt at home.
    package let violence: String?
    /// Who runs the lines, or which page says so.
    package let sources: [String]?
    /// The year and the month in which they were looked up.
    package let checked: String?
  }

  private struct Someone: Sendable, Decodable {
    let adult: String
    let minor: String
  }

  private let anywhere: Region
  private let someone: Someone
  /// By ISO 3166 code of two letters.
  package let regions: [String: Region]

  /// The list that is built in.
  package static let standard: CrisisResources = BuiltInText.decode("regions.json", PackageResources.regions_json)

  /// The region's, or words that hold anywhere where it is nil or not in the list.
  package func region(_ code: String?) -> Region { code.flatMap { regions[$0.uppercased()] } ?? anywhere }

  /// The code in a locale as `LANG` has it: "US" of "en_US.UTF-8"; nil where it names none.
  package static func code(ofLocale locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    for part in name.split(whereSeparator: { $0 == "_" || $0 == "-" }).dropFirst() {
      if part.utf8.count == 2, part.utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) {
        return part.uppercased()
      }
    }
    return nil
  }

  /// The code of the locale in whose language a program speaks; nil where none is set.
  package static func code(ofEnvironment environment: [String: String]) -> String? {
    ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }.flatMap(code(ofLocale:))
  }

  /// Fills `{emergency}`, `{crisis}`, `{poison}`, `{violence}` and `{someone}`; other braces stay.
  package func fill(_ text: String, region code: String?, isForMinors: Bool = false) -> String {
    let region = region(code)
    return text.replacing("{emergency}", with: region.emergency)
      .replacing("{poison}", with: region.poison ?? region.emergency)
      .replacing("{violence}", with: region.violence ?? anywhere.violence ?? region.crisis)
      .replacing("{crisis}", with: isForMinors ? region.young ?? region.crisis : region.crisis)
      .replacing("{someone}", with: isForMinors ? someone.minor : someone.adult)
  }
}
