// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the labels lie between unpleasant and pleasant, drowsy and excited.
///
/// Source: J. Russell, "A circumplex model of affect", Journal of Personality and Social Psychology 39 (1980).
package enum AffectCircle {
  package static func place(_ label: VocalAffect.Label) -> (valence: Float, arousal: Float) {
    switch label {
    case .calm: (0.4, -0.5)
    case .happy: (0.7, 0.5)
    case .sad: (-0.6, -0.5)
    case .angry: (-0.6, 0.7)
    case .fearful: (-0.7, 0.3)
    case .neutral: (0, 0)
    }
  }

  /// Probabilities that add up to 1, from scores of any size.
  package static func probabilities(_ scores: [VocalAffect.Label: Float]) -> [VocalAffect.Label: Float] {
    let greatest = scores.values.max() ?? 0
    let powers = scores.mapValues { exp($0 - greatest) }
    // In an order that is the same each time.
    let sum = VocalAffect.Label.allCases.reduce(0) { $0 + (powers[$1] ?? 0) }
    return powers.mapValues { $0 / sum }
  }
}
