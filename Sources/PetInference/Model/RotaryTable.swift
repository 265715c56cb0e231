// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Cosines and sines of every position up to a context's length, computed when a position is first reached.
final class RotaryTable {
  let pairs: Int
  private let embedding: RotaryEmbedding
  private var regime = RotaryEmbedding.Regime.short
  private var frequencies: [Float]
  private var present = 0
  private(set) var cosines: UnsafeMutablePointer<Float>  // [position][pairs]
  private(set) var sines: UnsafeMutablePointer<Float>

  init(_ embedding: RotaryEmbedding) {
    self.embedding = embedding
    pairs = embedding.dimensions / 2
    frequencies = embedding.frequencies(regime)
    cosines = .allocate(capacity: 0)
    sines = .allocate(capacity: 0)
  }

  deinit {
    cosines.deallocate()
    sines.deallocate()
  }

  /// Makes the angles of positions 0..<count available for `regime`.
  func prepare(_ count: Int, _ regime: RotaryEmbedding.Regime) {
    if regime != self.regime {
      self.regime = regime
      frequencies = embedding.frequencies(regime)
      present = 0
    }
    if present < count { extend(to: count) }
  }

  private func extend(to count: Int) {
    // Doubles: a growing conversation extends the table a logarithmic number of times.
    let end = max(count, 2 * present, 64)
    let (newCosines, newSines) = (
      UnsafeMutablePointer<Float>.allocate(capacity: end * pairs),
      UnsafeMutablePointer<Float>.allocate(capacity: end * pairs)
    )
    newCosines.moveInitialize(from: cosines, count: present * pairs)
    newSines.moveInitialize(from: sines, count: present * pairs)
    cosines.deallocate()
    sines.deallocate()
    (cosines, sines) = (newCosines, newSines)
    let magnitude = embedding.magnitude
    for position in present..<end {
      for (pair, frequency) in frequencies.enumerated() {
        let angle = Double(Float(position) * frequency)
        (cosines + position * pairs + pair).initialize(to: Float(cos(angle)) * magnitude)
        (sines + position * pairs + pair).initialize(to: Float(sin(angle)) * magnitude)
      }
    }
    present = end
  }
}
