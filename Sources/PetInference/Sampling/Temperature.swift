// SPDX-License-Identifier: Apache-2.0
/// Flattens (above 1) or sharpens (below 1) a distribution (Ackley, Hinton and Sejnowski 1985). 0 means: always the
/// likeliest token.
package struct Temperature: Sendable, Equatable {
  package let value: Float

  /// - Throws: `SamplingError.outOfRange` unless 0 <= value <= 10.
  package init(_ value: Float) throws(SamplingError) {
    self.value = try SamplingError.check("temperature", value, 0...10)
  }

  /// The temperature times `factor`, clamped to the allowed range; NaN changes nothing.
  package func scaled(by factor: Float) -> Temperature {
    let scaled = value * factor
    return (try? Temperature(scaled.isFinite ? min(max(scaled, 0), 10) : value)) ?? self
  }

  var isGreedy: Bool { value == 0 }

  func apply(to candidates: inout Candidates) {
    guard value != 1, value > 0, let peak = candidates.best?.logit, peak.isFinite else { return }
    // From the peak down, so that a tiny temperature gives minus infinity, which is never drawn, and no overflow.
    for index in candidates.entries.indices {
      candidates.entries[index].logit = (candidates.entries[index].logit - peak) / value
    }
  }
}
