// SPDX-License-Identifier: Apache-2.0
import PetText

/// What pets say where they were told the answer, or were never told it, written by hand for each temperament: `prompts/answers.json`.
package struct AnswerLines: Sendable, Decodable {
  package enum Kind: String, Sendable, CaseIterable {
    /// A clause to the person: "you have a horse named Saffron".
    case fact
    /// What the person said, in its marks.
    case quote
    /// What may answer: clauses or what the person said.
    case perhaps
    case untold
    /// It was probably never told.
    case unsure
  }

  private enum CodingKeys: String, CodingKey {
    case functionWords = "function_words"
    case leadingWords = "leading_words"
    case questionWords = "question_words"
    case verbsOfQuestions = "verbs_of_questions"
    case subjectsOfQuestions = "subjects_of_questions"
    case askingWords = "asking_words"
    case personalWords = "personal_words"
    case petWords = "pet_words"
    case rememberingWords = "remembering_words"
    case lines
  }

  let functionWords: Set<String>
  /// What may come before a question.
  private let leadingWords: Set<String>
  /// "what", "who".
  let questionWords: Set<String>
  /// What a question without them begins with: a verb, and whom it is about.
  private let verbsOfQuestions, subjectsOfQuestions: Set<String>
  /// With what else a line begins that asks for something: "remind me".
  private let askingWords: Set<String>
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
    leadingWords = try values.decode(Set<String>.self, forKey: .leadingWords)
    questionWords = try values.decode(Set<String>.self, forKey: .questionWords)
    verbsOfQuestions = try values.decode(Set<String>.self, forKey: .verbsOfQuestions)
    subjectsOfQuestions = try values.decode(Set<String>.self, forKey: .subjectsOfQuestions)
    askingWords = try values.decode(Set<String>.self, forKey: .askingWords)
    personalWords = try values.decode(Set<String>.self, forKey: .personalWords)
    petWords = try values.decode(Set<String>.self, forKey: .petWords)
    rememberingWords = try values.decode(Set<String>.self, forKey: .rememberingWords)
    lines = try values.decode(TemperamentLines.self, forKey: .lines)
    try lines.check(Kind.allCases.map(\.rawValue), values.superDecoder(forKey: .lines))
  }

  /// Whether a sentence of a line asks for something, with its mark or without. Complexity: linear in the words.
  package func asks(_ words: [String]) -> Bool {
    words.contains("?") || words.split(separator: ".").contains { asksPlainly($0.drop(while: leadingWords.contains)) }
  }

  /// Whether a line may ask for something that was told, also without a mark and in other orders of words: "where we off to".
  /// Complexity: linear in the words.
  package func mayAsk(_ words: [String]) -> Bool {
    asks(words)
      || words.split(separator: ".").contains { sentence in
        let sentence = sentence.drop(while: leadingWords.contains)
        guard let first = sentence.first, let second = sentence.dropFirst().first else { return false }
        return questionWords.contains(first) || Self.prepositions.contains(first) && questionWords.contains(second)
          || first == "does" || verbsOfQuestions.contains(first) && ["my", "our"].contains(second)
      }
  }

  private static let prepositions: Set<String> = ["in", "at", "on", "to", "for", "with", "from", "by", "since", "of"]

  private func asksPlainly(_ sentence: ArraySlice<String>) -> Bool {
    guard let first = sentence.first, let second = sentence.dropFirst().first else { return false }
    let isOfSomebody = subjectsOfQuestions.contains(second)
    // "What I told you" asks nothing.
    if questionWords.contains(first) { return !isOfSomebody || ["my", "me", "our"].contains(second) }
    return verbsOfQuestions.contains(first) && isOfSomebody || askingWords.contains(first)
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
