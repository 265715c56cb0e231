// SPDX-License-Identifier: Apache-2.0
/// Keeps the k likeliest tokens (Fan et al. 2018, https://arxiv.org/abs/1805.04833). 0 keeps all.
package struct TopK: Sendable, Equatable {
  package let count: Int

  /// - Throws: `SamplingError.countOutOfRange` where count is negative.
  package init(_ count: Int) throws(SamplingError) {
    self.count = try SamplingError.check("top-k", count: count, 0...10_000_000)
  }

  func apply(to candidates: inout Candidates) {
    if count > 0 { candidates.keepBest(count) }
  }
}
