// SPDX-License-Identifier: Apache-2.0
import PetText

/// What pets do not understand, and what they say then, written by hand: `prompts/comprehension.json`.
package struct ComprehensionRules: Sendable, Decodable {
  private enum CodingKeys: String, CodingKey { case languages, never, answers }

  private struct Language: Sendable, Decodable {
    let hello: String
    /// Its most frequent words, in small letters.
    let words: String
  }

  /// In bytes. The lines that pets were trained on have a dozen words.
  static let longest = 480

  private let hellos: [String: String]
  /// The languages of a word.
  private let languages: [String: [String]]
  /// Words that may be English or a name: they speak for nothing.
  private let never: Set<String>
  private let answers: TemperamentLines

  /// - Throws: `DecodingError` where a text is missing.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let known = try values.decode([String: Language].self, forKey: .languages)
    answers = try values.decode(TemperamentLines.self, forKey: .answers)
    try answers.check(
      ["language", "letters", "long", "emoji", "sad_emoji", "signs", "silence"], values.superDecoder(forKey: .answers))
    never = Set(Self.words(try values.decode(String.self, forKey: .never)))
    hellos = known.mapValues(\.hello)
    var languages: [String: [String]] = [:]
    for (name, language) in known {
      for word in Set(Self.words(language.words)) where !never.contains(word) {
        languages[word, default: []].append(name)
      }
    }
    self.languages = languages
  }

  /// Those that are built in.
  package static let standard: ComprehensionRules = BuiltInText.decode(
    "comprehension.json", PackageResources.comprehension_json)

  /// - Complexity: O(bytes) of a message that is not too long.
  package func judge(_ message: String) -> Comprehension {
    guard message.utf8.count <= Self.longest else { return .tooLong }
    if let wordless = wordless(message) { return wordless }
    let letters = message.unicodeScalars.filter { $0.properties.isAlphabetic }
    // One letter is a sign: "π", or the face of a shrug.
    if letters.count > 1, 2 * letters.count(where: { !Self.isLatin($0) }) > letters.count { return .otherLetters }
    let words = Self.words(message)
    let found = words.compactMap { languages[$0] }
    // Most of the words: "bonjour is French for hello" is English.
    guard 2 * found.count > words.count else { return .understood }
    // A word that several languages have speaks less for each.
    let scores = found.reduce(into: [String: Double]()) { scores, names in
      for name in names { scores[name, default: 0] += 1 / Double(names.count) }
    }
    return scores.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { .otherLanguage($0.key) } ?? .understood
  }

  /// Nil where a message has a letter or a number.
  private func wordless(_ message: String) -> Comprehension? {
    if let emoji = EmojiNames.read(message) { return .emoji(emoji.names, isSad: emoji.isSad) }
    let signs = message.filter { !$0.isWhitespace }
    guard !signs.isEmpty,
      !signs.contains(where: {
        $0.isLetter || $0.isNumber || $0.unicodeScalars.contains(where: \.properties.isEmojiPresentation)
      })
    else { return nil }
    return signs.allSatisfy { ".?!\u{2026},".contains($0) } ? .silence : .signs
  }

  /// What a pet says where it does not understand; nil where it does.
  /// - Parameters: as of ``TemperamentLines``.
  package func reply(
    to comprehension: Comprehension, temperament: String, choice: UInt64, last: String? = nil
  ) -> Reply? {
    switch comprehension {
    case .understood: nil
    case .otherLanguage(let name):
      answers.reply(
        "language", temperament: temperament, values: ["language": name, "hello": hellos[name] ?? "Hello"],
        choice: choice, last: last)
    case .otherLetters: answers.reply("letters", temperament: temperament, choice: choice, last: last)
    case .tooLong: answers.reply("long", temperament: temperament, choice: choice, last: last)
    case .emoji(let names, let isSad):
      answers.reply(
        isSad ? "sad_emoji" : "emoji", temperament: temperament, values: ["emoji": EmojiNames.said(names)],
        choice: choice, last: last)
    case .signs: answers.reply("signs", temperament: temperament, choice: choice, last: last)
    case .silence: answers.reply("silence", temperament: temperament, choice: choice, last: last)
    }
  }

  /// As they are written, by temperament and kind.
  package var all: [String: [String: [String]]] { answers.all }

  /// Mathematical letters and those of full width are Latin ones in disguise.
  private static func isLatin(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x250, 0x1E00..<0x1F00, 0x2100..<0x2150, 0xFF21...0xFF5A, 0x1D400..<0x1D800, 0x1F100..<0x1F200: true
    default: false
    }
  }

  /// Of two letters and more, without accents: many people type none.
  private static func words(_ text: String) -> [String] {
    text.words(of: .letters).compactMap { word in
      let plain = word.unicodeScalars.filter { !Accents.areCombined(by: $0) }
        .map { scalar in Accents.european[scalar].map { Unicode.Scalar($0) } ?? scalar }
      return plain.count > 1 ? String(String.UnicodeScalarView(plain)) : nil
    }
  }
}
