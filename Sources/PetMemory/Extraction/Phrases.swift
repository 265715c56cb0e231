// SPDX-License-Identifier: Apache-2.0
/// A set of phrases, indexed by their first word.
struct Phrases: Sendable, Decodable {
  private var byFirst: [String: [[String]]] = [:]

  init(from decoder: any Decoder) throws {
    for phrase in try [String](from: decoder) {
      let words = phrase.split(separator: " ").map(String.init)
      if let first = words.first { byFirst[first, default: []].append(words) }
    }
  }

  /// Whether one of them begins at `position`.
  func begin(_ tokens: [Sentence.Token], at position: Int) -> Bool {
    guard position < tokens.count, let phrases = byFirst[tokens[position].word] else { return false }
    return phrases.contains { phrase in
      position + phrase.count <= tokens.count
        && zip(phrase, tokens[position...]).allSatisfy { $0 == $1.word }
    }
  }
}
