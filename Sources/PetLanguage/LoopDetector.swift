// SPDX-License-Identifier: Apache-2.0
/// Notices that a reply goes round in circles: small models fall into loops that only the length would end.
package struct LoopDetector {
  /// Longest phrase looked for, in tokens: a sentence or two.
  static let longestPeriod = 40
  /// A phrase must come three times, and short ones more often: lists, rules and laughter repeat, too.
  static let leastTokens = 24
  static let leastOfOne = 64

  /// Whether `tokens` ends in repetitions of one phrase. At most longestPeriod passes over its end; most stop at once.
  package static func isLooping(_ tokens: [Int32]) -> Bool {
    (1...longestPeriod).contains { period in
      let isOneToken = tokens.suffix(period).allSatisfy { $0 == tokens.last }
      let length = isOneToken ? max(leastOfOne, period) : max(leastTokens, 3 * period)
      guard tokens.count >= length else { return false }
      return (tokens.count - length + period..<tokens.count).allSatisfy { tokens[$0] == tokens[$0 - period] }
    }
  }
}
