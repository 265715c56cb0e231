// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Rotary position embedding of queries and keys (Su et al. 2021, https://arxiv.org/abs/2104.09864).
package struct RotaryEmbedding: Sendable, Equatable {
  /// Which elements of a head form a pair.
  package enum Layout: Sendable, Equatable {
    /// (2i, 2i + 1): `llama` files, whose query and key rows are permuted for it.
    case pairs
    /// (i, i + n/2), "NEOX": `phi3` files.
    case halves
  }

  package enum Scaling: Sendable, Equatable {
    case none
    /// Positions divided by a factor.
    case linear(factor: Float)
    /// One divisor per frequency (Llama 3.1).
    case factors([Float])
    /// LongRoPE (Ding et al. 2024, https://arxiv.org/abs/2402.13753): one set of divisors up to the context that the
    /// model was first trained on, another beyond it; cosines and sines are multiplied by `attentionFactor` in both.
    case long(short: [Float], long: [Float], originalContext: Int, attentionFactor: Float)
  }

  package var layout: Layout
  /// Elements of a head that are rotated; the rest are unchanged. Even.
  package var dimensions: Int
  package var base: Float
  package var scaling: Scaling

  /// Which set of divisors a sequence of `length` tokens uses. Keys cached under another regime cannot be reused.
  package enum Regime: Sendable, Equatable {
    case short, long
  }

  /// The angle per position of every pair: `dimensions / 2` values.
  func frequencies(_ regime: Regime) -> [Float] {
    (0..<dimensions / 2).map { index in
      let plain = pow(Double(base), Double(2 * index) / Double(dimensions))
      return switch scaling {
      case .none: Float(1 / plain)
      case .linear(let factor): Float(1 / (plain * Double(factor)))
      case .factors(let factors): Float(1 / (plain * Double(factors[index])))
      case .long(let short, let long, _, _): Float(1 / (plain * Double(regime == .long ? long[index] : short[index])))
      }
    }
  }

  /// The factor of cosines and sines.
  var magnitude: Float {
    if case .long(_, _, _, let attentionFactor) = scaling { return attentionFactor }
    return 1
  }
}
