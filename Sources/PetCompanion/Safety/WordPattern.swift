// SPDX-License-Identifier: Apache-2.0
/// Words in a row, as `prompts/safety.json` writes them: `a|b` either, `a~` whatever begins with a, `a?` perhaps, `<name>` one of
/// a set, `..` up to three words of the same sentence, `$` the end of one.
struct WordPattern: Sendable, Equatable {
  /// Why a pattern is refused.
  enum Failure: Error, Equatable {
    case empty
    case unknownSet(String)
    /// A gap or a word that may be missing: nothing would say where to look.
    case startsLoosely
    case tooLong(words: Int)
    /// Not what a normalized text can hold.
    case notAWord(String)
  }

  enum Element: Sendable, Equatable {
    case word(Set<String>, beginnings: [String], isOptional: Bool)
    case gap
    case end
  }

  static let longestGap = 3
  /// Bounds the ways in which a pattern can match.
  static let longest = 12
  let elements: [Element]

  init(_ text: String, sets: [String: [String]]) throws(Failure) {
    var elements: [Element] = []
    for part in text.split(separator: " ") { elements.append(try Self.element(part, sets)) }
    guard elements.count <= Self.longest else { throw .tooLong(words: elements.count) }
    guard let first = elements.first else { throw .empty }
    guard case .word(_, _, isOptional: false) = first else { throw .startsLoosely }
    self.elements = elements
  }

  private static func element(_ text: Substring, _ sets: [String: [String]]) throws(Failure) -> Element {
    if text == ".." { return .gap }
    if text == "$" { return .end }
    let isOptional = text.last == "?"
    var words = Set<String>()
    var beginnings: [String] = []
    for choice in (isOptional ? text.dropLast() : text).split(separator: "|", omittingEmptySubsequences: false) {
      if choice.first == "<", choice.last == ">" {
        let name = String(choice.dropFirst().dropLast())
        guard let set = sets[name] else { throw .unknownSet(name) }
        for word in set { words.insert(try checked(word[...])) }
      } else if choice.last == "~" {
        beginnings.append(try checked(choice.dropLast()))
      } else {
        words.insert(try checked(choice))
      }
    }
    return .word(words, beginnings: beginnings, isOptional: isOptional)
  }

  private static func checked(_ word: Substring) throws(Failure) -> String {
    guard FoldedText.isWord(word) else { throw .notAWord(String(word)) }
    return String(word)
  }

  /// Whether the words from `start` on match. Complexity: bounded by the pattern, not by the text.
  func matches(_ words: [String], at start: Int) -> Bool { matches(words, start, 0) }

  private func matches(_ words: [String], _ place: Int, _ index: Int) -> Bool {
    guard index < elements.count else { return true }
    switch elements[index] {
    case .gap:
      for skipped in 0...Self.longestGap {
        if matches(words, place + skipped, index + 1) { return true }
        guard place + skipped < words.count, !FoldedText.endsSentence(words[place + skipped]) else { return false }
      }
      return false
    case .end:
      return (place >= words.count || FoldedText.endsSentence(words[place])) && matches(words, place + 1, index + 1)
    case .word(let choices, let beginnings, let isOptional):
      if place < words.count {
        let word = words[place]
        let isRight = choices.contains(word) || beginnings.contains { word.hasPrefix($0) }
        if isRight, matches(words, place + 1, index + 1) { return true }
      }
      return isOptional && matches(words, place, index + 1)
    }
  }
}
