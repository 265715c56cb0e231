// SPDX-License-Identifier: Apache-2.0
/// Guesses what comes next from what came after the same words before: replies quote (LLMA, arXiv:2304.04487).
package struct PromptLookup {
  /// Tokens that must be the same; longer matches go first.
  private static let matches = [4, 3, 2]

  /// Up to `count` tokens that followed the latest earlier occurrence of the last tokens. O(history).
  package static func guess(after history: [Int32], count: Int) -> ArraySlice<Int32> {
    guard count > 0 else { return [] }
    for length in matches where history.count > length {
      let tail = history[(history.count - length)...]
      var start = history.count - length - 1
      while start >= 0 {
        if history[start] == tail[tail.startIndex], history[start..<start + length] == tail {
          return history[(start + length)...].prefix(count)
        }
        start -= 1
      }
    }
    return []
  }
}
