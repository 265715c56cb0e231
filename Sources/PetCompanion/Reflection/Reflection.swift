// SPDX-License-Identifier: Apache-2.0
import PetText

/// The person's own words, said back: to "my package came early" the pet says "Your package came early? Tell me more.", where a model
/// would do worse. Reflective listening by patterns, as in ELIZA (Weizenbaum 1966, doi:10.1145/365153.365168); the words and lines are
/// in `prompts/reflection.json`.
package struct Reflection: Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case persons, spellings, you, openers, closers, joints, subjects, asking, commands, prepositions, reporting,
      hanging, lines
    case closingPhrases = "closing_phrases"
  }

  /// Longer ones are looked at no more.
  static let longestMessage = 2000
  static let kind = "told"

  let persons: [String: String]
  let spellings: [String: String]
  /// A clause with one of them is about the pet.
  let you: Set<String>
  /// What a clause may begin and end with without telling anything.
  let openers: Set<String>
  let closers: Set<String>
  let closingPhrases: [[String]]
  /// Between two clauses, where a subject follows.
  let joints: Set<String>
  let subjects: Set<String>
  /// A clause that begins with one of them asks, or is half a sentence.
  let asking: Set<String>
  /// A clause that begins with one of them wants something.
  let commands: Set<String>
  /// A clause that begins with one of them is less than the others.
  let prepositions: Set<String>
  /// A clause with one of them may have somebody else's words in it.
  let reporting: Set<String>
  /// A clause that ends with one of them is not whole.
  let hanging: Set<String>
  private let lines: TemperamentLines

  /// - Throws: `DecodingError` where the plain set is missing, or a set has fewer than two lines.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func set(_ key: CodingKeys) throws -> Set<String> { try values.decode(Set<String>.self, forKey: key) }
    persons = try values.decode([String: String].self, forKey: .persons)
    spellings = try values.decode([String: String].self, forKey: .spellings)
    (you, openers, closers) = (try set(.you), try set(.openers), try set(.closers))
    (joints, subjects, asking) = (try set(.joints), try set(.subjects), try set(.asking))
    (commands, prepositions) = (try set(.commands), try set(.prepositions))
    (reporting, hanging) = (try set(.reporting), try set(.hanging))
    closingPhrases = try values.decode([String].self, forKey: .closingPhrases).map {
      $0.split(separator: " ").map(String.init)
    }
    guard !closingPhrases.contains([]) else {
      throw DecodingError.dataCorruptedError(
        forKey: .closingPhrases, in: values, debugDescription: "a phrase without words ends every clause")
    }
    lines = try values.decode(TemperamentLines.self, forKey: .lines)
    try lines.check([Self.kind], values.superDecoder(forKey: .lines))
  }

  /// Those that are built in.
  package static let standard: Reflection = BuiltInText.decode("reflection.json", PackageResources.reflection_json)

  /// How likely it is taken to fit, chosen by what readers liked best: `Training/bank/reflections.py`.
  /// - Parameters:
  ///   - isFelt: whether it shows how the person feels, too.
  ///   - isAgain: whether the last reply was another: nobody wants to hear only their own words.
  package static func rightness(isFelt: Bool, isAgain: Bool) -> Double {
    (isFelt ? 0.55 : 0.4) - (isAgain ? 0.1 : 0)
  }

  /// - Parameters:
  ///   - words: a ``restatement(of:pet:)``.
  ///   - temperament: as in ``PromptFormat/Pet/temperament``.
  ///   - choice: any number; the same gives the same line.
  ///   - recent: what was said lately; where there is another line it is not said again.
  package func reply(saying words: String, temperament: String, choice: UInt64, recent: [String] = []) -> Reply? {
    lines.reply(Self.kind, temperament: temperament, values: ["words": words], choice: choice, recent: recent)
  }

  /// The clause of a message that tells most, as it is said to the person, without a closing mark: "You missed the bus". Nil where the
  /// message asks or wants something, or no clause is short, whole, and about the person.
  /// - Complexity: linear in the message, of which no more than 2000 bytes are looked at.
  package func restatement(of message: String, pet: String) -> String? {
    guard message.utf8.count <= Self.longestMessage, !message.contains(where: "?\u{FF1F}".contains) else {
      return nil
    }
    let clauses = clauses(of: message, without: pet.lowercased())
    // "Set an alarm, I mustn't oversleep" wants more than an ear.
    guard
      !clauses.contains(where: {
        asking.contains($0.words[0]) || $0.words.count > 1 && commands.contains($0.words[0])
      })
    else { return nil }
    let told = clauses.enumerated().compactMap { place, clause in
      restated(clause).map { (text: $0.text, weight: $0.weight + 0.3 * Double(place) / Double(clauses.count)) }
    }
    // Of equal ones the last.
    guard let text = told.reversed().max(by: { $0.weight < $1.weight })?.text else { return nil }
    return text.sentenceCased
  }

  /// As they are written, by temperament and kind.
  package var all: [String: [String: [String]]] { lines.all }
}
