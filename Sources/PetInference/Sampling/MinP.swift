// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Keeps tokens at least p times as likely as the likeliest (Nguyen et al. 2024, https://arxiv.org/abs/2407.01082).
/// 0 keeps all.
package struct MinP: Sendable, Equatable {
  package let ratio: Float

  /// - Throws: `SamplingError.outOfRange` unless 0 <= ratio <= 1.
  package init(_ ratio: Float) throws(SamplingError) {
    self.ratio = try SamplingError.check("min-p", ratio, 0...1)
  }

  func apply(to candidates: inout Candidates) {
    guard ratio > 0, let best = candidates.best else { return }
    let threshold = best.logit + log(ratio)
    candidates.entries.removeAll { $0.logit < threshold }
  }
}
