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
}
