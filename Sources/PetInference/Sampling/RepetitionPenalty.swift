// SPDX-License-Identifier: Apache-2.0
/// Makes tokens of the recent past less likely (Keskar et al. 2019, https://arxiv.org/abs/1909.05858, section 4.1).
package struct RepetitionPenalty: Sendable, Equatable {
  /// Positive logits are divided by it and others multiplied; 1 changes nothing.
  package let penalty: Float
  /// How many of the last tokens count.
  package let window: Int

  /// - Throws: `SamplingError.outOfRange` unless 0.1 <= penalty <= 10, `SamplingError.countOutOfRange` unless
  ///   0 <= window <= 1,000,000.
  package init(penalty: Float, window: Int) throws(SamplingError) {
    self.penalty = try SamplingError.check("repetition penalty", penalty, 0.1...10)
    self.window = try SamplingError.check("repetition window", count: window, 0...1_000_000)
  }

  var changesNothing: Bool { penalty == 1 || window == 0 }

  /// O(window log vocabulary). The candidates must still be in the order of their ids.
  func apply(to candidates: inout Candidates, history: ArraySlice<Int32>) {
    guard !changesNothing else { return }
    for token in Set(history.suffix(window)) {
      guard let index = candidates.index(of: token) else { continue }
      let logit = candidates.entries[index].logit
      candidates.entries[index].logit = logit > 0 ? logit / penalty : logit * penalty
    }
  }
}
