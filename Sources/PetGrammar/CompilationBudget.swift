// SPDX-License-Identifier: Apache-2.0
/// How much work the compilation of one grammar may take, beside what it may leave behind: a short text can ask for much
/// that is small in the end, many times over.
package final class CompilationBudget {
  private let limit: Int
  private var left: Int

  /// 8 steps per state that the grammar may have: a few seconds for the usual limits, at most.
  package init(_ limits: GrammarLimits = GrammarLimits()) {
    limit = limits.states * 8
    left = limit
  }

  /// - Throws: `tooLarge` where the work is used up.
  func spend(_ steps: Int) throws(GrammarError) {
    guard steps <= left else { throw .tooLarge(.work, limit: limit) }
    left -= steps
  }
}
