#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Cosines and sines of every position up to a context's length, computed when a position is first reached.
struct RotaryTable {
  let pairs: Int
  let regime: RotaryEmbedding.Regime
  private let frequencies: [Float]
  private let magnitude: Float
  /// [position][pairs]
  private(set) var cosines: [Float] = []
  private(set) var sines: [Float] = []

  init(_ embedding: RotaryEmbedding, regime: RotaryEmbedding.Regime) {
    pairs = embedding.dimensions / 2
    self.regime = regime
    frequencies = embedding.frequencies(regime)
    magnitude = embedding.magnitude
  }

  /// Makes positions 0..<count available.
  mutating func extend(to count: Int) {
    let present = pairs == 0 ? count : cosines.count / pairs
    guard present < count else { return }
    // Doubling: a growing conversation extends a logarithmic number of times.
    let end = max(count, 2 * present, 64)
    cosines.reserveCapacity(end * pairs)
    sines.reserveCapacity(end * pairs)
    for position in present..<end {
      for frequency in frequencies {
        let angle = Double(Float(position) * frequency)
        cosines.append(Float(cos(angle)) * magnitude)
        sines.append(Float(sin(angle)) * magnitude)
      }
    }
  }

  /// Both tables, for the length of a call.
  func withTables(_ body: (_ cosines: UnsafePointer<Float>, _ sines: UnsafePointer<Float>) -> Void) {
    cosines.withUnsafeBufferPointer { cosines in
      sines.withUnsafeBufferPointer { sines in
        guard let cosines = cosines.baseAddress, let sines = sines.baseAddress else { return }
        body(cosines, sines)
      }
    }
  }
}
