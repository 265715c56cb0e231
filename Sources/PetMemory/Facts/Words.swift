// SPDX-License-Identifier: Apache-2.0
import PetText

/// Words normalized for comparison: lower case, stemmed.
enum Words {
  /// The words of a text, in small letters; what is neither a letter nor a digit separates them.
  static func of(_ text: some StringProtocol) -> [String] {
    text.words(of: [.letters, .numbers, .apostrophe, .curlyApostrophe])
      .map { word in
        let plain = word.filter { $0 != "’" && $0 != "'" }
        return word.hasSuffix("'s") || word.hasSuffix("’s") ? String(plain.dropLast()) : plain
      }
      .filter { !$0.isEmpty }
  }

  static func stems(_ text: some StringProtocol) -> [String] { of(text).map(stem) }

  static func stem(_ word: String) -> String { Stem.inflection(undoneIn: word) }

  /// By which two values are the same: "The olives!" and "olive".
  static func key(_ text: String) -> String {
    let stems = stems(text).filter { !["a", "an", "th", "the", "my", "their", "so", "really"].contains($0) }
    return stems.isEmpty ? text.lowercased() : stems.joined(separator: " ")
  }

  static func same(_ a: String, _ b: String) -> Bool { a == b || key(a) == key(b) }
}
