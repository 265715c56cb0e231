// SPDX-License-Identifier: Apache-2.0
import PetText

/// What small models say twice: sentences that come again, phrases that go round.
package enum Repetition {
  /// In words.
  private static let longestPhrase = 8
  /// A phrase of so many words at least, three times in a row, is no laughter.
  private static let shortestPhrase = 2

  /// `text` without sentences of two words or more that it, or `said` before it, already has, and cut off where a phrase begins to
  /// go round.
  /// - Complexity: O(n) in the length of the text, times the longest phrase.
  package static func removed(from text: String, after said: String = "") -> String {
    var known = Set(said.sentences.map(key))
    var kept = ""
    for sentence in text.sentences {
      let key = key(sentence)
      if key.count > 1, !known.insert(key).inserted { continue }
      kept += cut(sentence)
    }
    return kept
  }

  /// Up to the first of three phrases in a row that are the same; then that ends the sentence.
  private static func cut(_ sentence: Substring) -> String {
    let words = sentence.split(separator: " ")
    let plain = words.map { $0.lowercased() }
    for start in plain.indices {
      for length in shortestPhrase...longestPhrase where start + 3 * length <= plain.count {
        let phrase = plain[start..<start + length]
        guard phrase.elementsEqual(plain[start + length..<start + 2 * length]),
          phrase.elementsEqual(plain[start + 2 * length..<start + 3 * length])
        else { continue }
        var text = (sentence.first == " " ? " " : "") + words[..<(start + length)].joined(separator: " ")
        while let last = text.last, ",;:-".contains(last) { text.removeLast() }
        return text.last.map { ".!?\u{2026}".contains($0) } == true ? text : text + "."
      }
    }
    return String(sentence)
  }

  private static func key(_ sentence: Substring) -> [String] {
    sentence.words(of: [.letters, .numbers, .apostrophe])
  }
}
