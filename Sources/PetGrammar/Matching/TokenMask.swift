// SPDX-License-Identifier: Apache-2.0
/// Which tokens may come next: one bit per token id. Immutable, and shared by all matchers in equal states.
package final class TokenMask: Sendable {
  /// Bit `id % 64` of word `id / 64` is set where the token may come next. Bits past the vocabulary are 0.
  package let words: [UInt64]
  /// How many tokens may come next.
  package let count: Int

  init(words: [UInt64]) {
    self.words = words
    count = words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// Whether a token may come next; false for ids outside the vocabulary. O(1).
  package func allows(_ token: Int32) -> Bool {
    guard token >= 0, Int(token) / 64 < words.count else { return false }
    return words[Int(token) / 64] >> UInt64(token % 64) & 1 == 1
  }

  /// The tokens that may come next, ascending. O(vocabulary / 64 + count).
  package var tokens: [Int32] {
    var found: [Int32] = []
    found.reserveCapacity(count)
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        found.append(Int32(index * 64 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    return found
  }

  var bytes: Int { words.count * 8 + 64 }
}
