// SPDX-License-Identifier: Apache-2.0
/// What of a conversation goes with memories that its person wants forgotten: lines that tell of them.
package struct ForgottenWords: Sendable, Equatable {
  /// Whether all lines go.
  package let isAll: Bool
  /// Of each, all words must be in a line that goes.
  private let told: [Set<String>]

  package static let all = ForgottenWords(isAll: true, told: [])

  /// - Parameter phrases: what was told, and whom it was about.
  package init(_ phrases: [String]) {
    self.init(isAll: false, told: phrases.map { AnswerWords.content(of: $0) }.filter { !$0.isEmpty })
  }

  private init(isAll: Bool, told: [Set<String>]) { (self.isAll, self.told) = (isAll, told) }

  /// Complexity: the length of the line, and the number of phrases.
  package func isIn(_ line: String) -> Bool {
    guard !isAll else { return true }
    let words = AnswerWords.content(of: line)
    return told.contains { $0.isSubset(of: words) }
  }
}
