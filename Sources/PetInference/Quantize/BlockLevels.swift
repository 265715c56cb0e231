/// 32 values as levels on a grid: value(i) ~ scale * (level(i) - centre), or scale * level(i) + minimum.
///
/// Each operation rounds on its own and the order is fixed, so every machine finds the same levels. Where several
/// values are the largest (or smallest), the first of them counts, its sign of zero included.
struct BlockLevels {
  var scale: Float
  var minimum: Float = 0
  var levels: SIMD32<UInt8>
}

extension BlockLevels {
  /// A grid around zero with `2 * steps` levels, the value of largest magnitude at level 0 (Q4_0: 8, Q5_0: 16).
  init(symmetric values: SIMD32<Float>, steps: Float) {
    var largest = values[0]
    for i in 1..<32 where values[i].magnitude > largest.magnitude { largest = values[i] }
    scale = largest / -steps
    levels = SIMD32()
    guard let inverse = Self.inverse(scale) else { return }
    let top = UInt8(2 * steps - 1)
    for i in 0..<32 { levels[i] = min(top, UInt8(values[i] * inverse + (steps + 0.5))) }
  }

  /// A grid of `steps + 1` levels from the smallest value to the largest (Q4_1: 15, Q5_1: 31).
  init(affine values: SIMD32<Float>, steps: Float) {
    var (least, largest) = (values[0], values[0])
    for i in 1..<32 {
      if values[i] < least { least = values[i] }
      if values[i] > largest { largest = values[i] }
    }
    scale = (largest - least) / steps
    minimum = least
    levels = SIMD32()
    guard scale.isFinite, let inverse = Self.inverse(scale) else { return }
    let top = UInt8(steps)
    for i in 0..<32 { levels[i] = min(top, UInt8((values[i] - least) * inverse + 0.5)) }
  }

  /// Signed levels from -127 to 127, rounded to nearest, halves away from zero (Q8_0).
  init(signed values: SIMD32<Float>) {
    var largest: Float = 0
    for i in 0..<32 where values[i].magnitude > largest { largest = values[i].magnitude }
    scale = largest / 127
    levels = SIMD32()
    guard let inverse = Self.inverse(scale) else { return }
    for i in 0..<32 {
      let level = values[i] * inverse
      let whole = Int32(level)
      // Exact: nothing is rounded before the comparison with a half.
      let rest = level - Float(whole)
      let rounded = rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
      levels[i] = UInt8(truncatingIfNeeded: rounded)
    }
  }

  /// 1 / scale, 0 for a scale of 0; nil where it is infinite. Such a scale is 0 in the block's F16 anyway, so that the
  /// levels say nothing; they are 0.
  private static func inverse(_ scale: Float) -> Float? {
    guard scale != 0 else { return 0 }
    let inverse = 1 / scale
    return inverse.isFinite ? inverse : nil
  }
}
