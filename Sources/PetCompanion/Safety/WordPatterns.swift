// SPDX-License-Identifier: Apache-2.0
/// Patterns by the word that they begin with, so that a text is read once for all of them.
struct WordPatterns: Sendable {
  private var byWord: [String: [Int]] = [:]
  /// Those that begin with a beginning of a word.
  private var others: [Int] = []
  private let patterns: [WordPattern]

  /// - Throws: `DecodingError` with the pattern that is malformed.
  init(_ texts: [String], sets: [String: [String]], at path: [any CodingKey]) throws {
    self.init(
      try texts.map { text in
        do {
          return try WordPattern(text, sets: sets)
        } catch {
          throw DecodingError.dataCorrupted(
            .init(codingPath: path, debugDescription: "the pattern \"\(text)\": \(error)"))
        }
      })
  }

  init(_ patterns: [WordPattern]) {
    self.patterns = patterns
    for (number, pattern) in patterns.enumerated() {
      guard case .word(let words, let beginnings, _)? = pattern.elements.first else { continue }
      if !beginnings.isEmpty { others.append(number) }
      for word in words { byWord[word, default: []].append(number) }
    }
  }

  /// The numbers of the patterns that match, with where they begin. Complexity: linear in the words.
  func matches(in words: [String]) -> [(pattern: Int, start: Int)] {
    var found: [(pattern: Int, start: Int)] = []
    for (start, word) in words.enumerated() {
      for number in (byWord[word] ?? []) + others where patterns[number].matches(words, at: start) {
        found.append((number, start))
      }
    }
    return found
  }
}
