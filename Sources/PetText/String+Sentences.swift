// SPDX-License-Identifier: Apache-2.0
extension String {
  /// Sentences with the spaces before them; together they are the text. What comes behind the last is a sentence in the making.
  /// - Complexity: O(n) in the length of the text.
  package var sentences: [Substring] {
    var found: [Substring] = []
    var start = startIndex
    var previous: Character = " "
    for index in indices {
      if self[index] == " ", ".!?\u{2026}".contains(previous) {
        found.append(self[start..<index])
        start = index
      }
      previous = self[index]
    }
    return found + (start < endIndex ? [self[start...]] : [])
  }

  /// The longest beginning of at most `limit` bytes that ends where a sentence or a line does.
  package func sentences(limit: Int) -> String {
    guard utf8.count > limit else { return self }
    guard limit > 0 else { return "" }
    var end = startIndex
    var bytes = 0
    var previous: Character?
    for index in indices {
      let character = self[index]
      if character.isNewline || (character == " " && ".!?".contains(previous ?? " ")) { end = index }
      bytes += character.utf8.count
      if bytes > limit { break }
      previous = character
    }
    return String(self[..<end]).trimmed
  }
}
