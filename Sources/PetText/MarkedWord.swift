// SPDX-License-Identifier: Apache-2.0
/// What stands between two spaces: a word, with the marks before and behind it.
package struct MarkedWord {
  /// All of a chunk that has no word.
  package let opening: Substring
  /// From the first inner character to the last one; empty in a chunk that has none.
  package let core: Substring
  /// All of a chunk that has no word.
  package let closing: Substring

  /// - Parameter isInner: whether a character can be the first or the last of a word.
  package init(_ chunk: Substring, isInner: (Character) -> Bool = { $0.isLetter || $0.isNumber }) {
    opening = chunk.prefix { !isInner($0) }
    let rest = chunk[opening.endIndex...]
    guard let last = rest.lastIndex(where: isInner) else {
      (core, closing) = ("", chunk)
      return
    }
    core = rest[...last]
    closing = rest[rest.index(after: last)...]
  }
}
