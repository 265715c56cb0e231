// SPDX-License-Identifier: Apache-2.0
/// A grid for each of eight blocks of 32: value(i) ~ scale * (level(i) - centre), or scale * level(i) + minimum.
///
/// Each operation rounds on its own and the order is fixed, so every machine finds the same levels. Where several
/// values are the largest (or smallest), the first of them counts, its sign of zero included.
struct BlockGrid {
  enum Kind {
    /// Around zero with `2 * steps` levels, the value of largest magnitude at level 0 (Q4_0: 8, Q5_0: 16).
    case symmetric(steps: Float)
    /// `steps + 1` levels from the smallest value to the largest (Q4_1: 15, Q5_1: 31).
    case affine(steps: Float)
    /// Signed levels from -127 to 127, rounded to nearest, halves away from zero (Q8_0).
    case signed

    var hasMinimum: Bool { if case .affine = self { true } else { false } }
  }

  let kind: Kind
  private(set) var scale: BlockLanes
  private(set) var minimum = BlockLanes()
  /// 1 / scale, 0 for a scale of 0.
  private let inverse: BlockLanes
  /// Where the inverse is infinite. Such a scale is 0 in the block's F16 anyway, so that the levels say nothing; they are 0.
  private let isSilent: SIMDMask<SIMD8<Int32>>

  @inline(__always)
  init(_ kind: Kind, _ values: UnsafeMutableBufferPointer<BlockLanes>) {
    self.kind = kind
    switch kind {
    case .symmetric(let steps):
      var largest = values[0]
      for value in values { largest.replace(with: value, where: value.magnitudes .> largest.magnitudes) }
      scale = largest / -steps
    case .affine(let steps):
      var (least, largest) = (values[0], values[0])
      for value in values {
        least.replace(with: value, where: value .< least)
        largest.replace(with: value, where: value .> largest)
      }
      scale = (largest - least) / steps
      minimum = least
    case .signed:
      var largest = BlockLanes()
      for value in values { largest.replace(with: value.magnitudes, where: value.magnitudes .> largest) }
      scale = largest / 127
    }
    inverse = scale.inverses
    isSilent = inverse.magnitudes .== .infinity
  }

  @inline(__always)
  func levels(of value: BlockLanes) -> SIMD8<UInt8> {
    let levels: BlockLanes
    switch kind {
    case .symmetric(let steps):
      levels = (value * inverse + (steps + 0.5)).floor.limited(to: 2 * steps - 1)
    case .affine(let steps):
      levels = ((value - minimum) * inverse + 0.5).floor.limited(to: steps)
    case .signed:
      let level = value * inverse
      let whole = level.magnitudes.floor
      // Exact: nothing is rounded before the comparison with a half.
      let rounded = whole.replacing(with: whole + 1, where: level.magnitudes - whole .>= 0.5)
      levels = rounded.replacing(with: -rounded, where: level .< 0)
    }
    return levels.replacing(with: 0, where: isSilent).lowBytes
  }
}
