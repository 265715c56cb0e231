// SPDX-License-Identifier: Apache-2.0
import PetText

/// What a pet says of being an AI, of what it was told, of breaks and of the night: `prompts/honesty.json`.
package struct Honesty: Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case sets, instructions, character, meeting, breaks, night
    case breaksForMinors = "breaks_minor"
  }

  private let nature: AskedOfItself
  private let instructions: AskedOfItself
  private let character: AskedOfItself
  private let meeting: [String]
  private let breaks: [String]
  private let breaksForMinors: [String]
  private let night: [String]

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let sets = try values.decode([String: [String]].self, forKey: .sets)
    nature = try AskedOfItself(decoder, sets: sets)
    instructions = try AskedOfItself(values.superDecoder(forKey: .instructions), sets: sets)
    character = try AskedOfItself(values.superDecoder(forKey: .character), sets: sets)
    meeting = try values.decode([String].self, forKey: .meeting)
    breaks = try values.decode([String].self, forKey: .breaks)
    breaksForMinors = try values.decode([String].self, forKey: .breaksForMinors)
    night = try values.decode([String].self, forKey: .night)
    guard [meeting, breaks, breaksForMinors, night].allSatisfy({ !$0.isEmpty }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .meeting, in: values, debugDescription: "every list needs a text")
    }
  }

  /// The texts that are built in.
  package static let standard: Honesty = BuiltInText.decode("honesty.json", PackageResources.honesty_json)

  /// To a person who sincerely asks whether they talk to a human or a machine, who wants to see what it was told, or who tells it
  /// to be somebody else. Nil where nobody does; play does not count.
  /// - Parameters:
  ///   - temperament: as personas have it: "playful and warm".
  ///   - choice: any number; the same gives the same reply.
  package func answer(to message: String, temperament: String, choice: UInt64) -> Reply? {
    let words = FoldedText.words(message)
    guard let texts = questions.first(where: { $0.isAsked(message, words) })?.answers(temperament) else { return nil }
    return Self.reply(texts, choice)
  }

  /// To what is asked of itself in other words than those that ``answer(to:temperament:choice:)`` knows. Nil for other intents.
  package func reply(to intent: Intent, temperament: String, choice: UInt64) -> Reply? {
    switch intent {
    case .machine: Self.reply(nature.answers(temperament), choice)
    case .character: Self.reply(character.answers(temperament), choice)
    default: nil
    }
  }

  /// What is asked of itself that is not left to a model, in the order in which they are looked for.
  private var questions: [AskedOfItself] { [nature, instructions, character] }

  /// One line for the first meeting.
  package func meeting(name: String, choice: UInt64) -> String {
    // A name is one line, whatever a persona calls itself.
    Self.chosen(meeting, choice).replacing("{name}", with: name.singleSpaced)
  }

  /// Nil where there is nothing to say.
  package func reply(to decision: BreakReminder.Decision, profile: SafetyProfile, choice: UInt64) -> Reply? {
    switch decision {
    case .none: nil
    case .takeBreak: Self.reply(profile.isForMinors ? breaksForMinors : breaks, choice)
    case .night: Self.reply(night, choice)
    }
  }

  /// All replies, as they are written.
  package var all: [String] { questions.flatMap(\.all) + breaks + breaksForMinors + night }

  private static func chosen(_ texts: [String], _ choice: UInt64) -> String {
    texts.isEmpty ? "" : texts[Int(choice % UInt64(texts.count))]
  }

  private static func reply(_ texts: [String], _ choice: UInt64) -> Reply {
    Reply(written: chosen(texts, choice))
  }
}
