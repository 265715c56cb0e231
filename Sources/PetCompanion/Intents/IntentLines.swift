// SPDX-License-Identifier: Apache-2.0
import PetText

/// What pets say to each ``Intent``, written by hand for each temperament: `prompts/intents.json`.
package struct IntentLines: Sendable, Decodable {
  /// Which of the lines fit. A pure function of what is wanted and how the pet fares.
  package enum Kind: String, CaseIterable {
    case world, online, senses, health, expert, improper, love, past, privacy, identity, noise, cut, code
    case full, hungry
    case tooTired = "too_tired"
    case lively, tired, awake, sad, happy

    /// Nil where other words answer (``Honesty``), or where the pet fares so middling that any answer holds.
    package init?(_ intent: Intent, _ state: PetState) {
      switch intent {
      case .character, .machine: return nil
      case .food: self.init(low: .full, high: .hungry, by: state.hunger)
      case .play: self.init(low: .tooTired, high: .lively, by: state.energy)
      case .rest: self.init(low: .tired, high: .awake, by: state.energy)
      case .mood: self.init(low: .sad, high: .happy, by: state.mood)
      default: self.init(rawValue: intent.rawValue)
      }
    }

    /// In the outermost of the five bands of `prompts/format.json`, where a wrong answer is plainly wrong.
    private init?(low: Kind, high: Kind, by value: Int) {
      switch value {
      case ..<21: self = low
      case 81...: self = high
      default: return nil
      }
    }
  }

  private enum CodingKeys: String, CodingKey { case answers }

  private let answers: TemperamentLines

  /// - Throws: `DecodingError` where the plain set or a kind is missing, or a kind has fewer than two lines.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    answers = try values.decode(TemperamentLines.self, forKey: .answers)
    try answers.check(Kind.allCases.map(\.rawValue), values.superDecoder(forKey: .answers))
  }

  /// Those that are built in.
  package static let standard: IntentLines = BuiltInText.decode("intents.json", PackageResources.intents_json)

  /// Nil where nothing is written: the model answers.
  /// - Parameters:
  ///   - state: what to show of it, at night less lively than it is.
  ///   - choice: any number; the same gives the same line.
  ///   - recent: what was said lately; where there is another line it is not said again.
  package func reply(
    to intent: Intent, from persona: Persona, _ state: PetState, choice: UInt64, recent: [String] = []
  ) -> Reply? {
    guard let kind = Kind(intent, state) else { return nil }
    return answers.reply(
      kind.rawValue, temperament: persona.temperament, values: ["name": persona.name, "kind": persona.kind],
      choice: choice, recent: recent)
  }

  /// As they are written, by temperament and kind.
  package var all: [String: [String: [String]]] { answers.all }
}
