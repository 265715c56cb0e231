// SPDX-License-Identifier: Apache-2.0
/// Nucleus sampling (Holtzman et al. 2019, https://arxiv.org/abs/1904.09751): keeps the fewest likeliest tokens whose
/// probabilities sum to at least p. 1 keeps all.
package struct TopP: Sendable, Equatable {
  package let mass: Float

  /// - Throws: `SamplingError.outOfRange` unless 0 <= mass <= 1.
  package init(_ mass: Float) throws(SamplingError) {
    self.mass = try SamplingError.check("top-p", mass, 0...1)
  }

  func apply(to candidates: inout Candidates) {
    guard mass < 1 else { return }
    candidates.sort()
    var sum: Float = 0
    for (index, probability) in candidates.probabilities().enumerated() {
      sum += probability
      guard sum < mass else { return candidates.keepFirst(index + 1) }
    }
  }
}
