// SPDX-License-Identifier: Apache-2.0
/// The scale with which levels -steps ..< steps come nearest to the values of a sub-block, for eight at once:
/// value(i) ~ scale * level(i).
///
/// The value of largest magnitude decides the sign, so that it falls on the side with one level more. For given levels the
/// best scale is the quotient of two weighted sums; which levels are best is searched by placing that value near -steps,
/// in small steps. O(trials * elements).
struct SymmetricFit {
  private(set) var scale = BlockLanes()

  /// Less of a gain than this is rounding errors. Where several scales are as good, all sub-blocks should take the first,
  /// so that few codes suffice.
  private static let margin: Float = 1 + 0x1p-20

  /// How far beyond -steps the largest value is placed.
  private static let trials = -8...1
  private static let spacing: Float = 0.25

  @inline(__always)
  init(_ group: BlockGroup, steps: Float) {
    var (extreme, magnitude) = (BlockLanes(), BlockLanes())
    for value in group.values {
      let isLarger = value.magnitudes .> magnitude
      extreme.replace(with: value, where: isLarger)
      magnitude.replace(with: value.magnitudes, where: isLarger)
    }
    let inverse = BlockLanes().replacing(with: -1 / extreme, where: magnitude .> BlockGroup.least)

    // The squared error is a constant less what is explained: product^2 / square.
    var largest = BlockLanes()
    for trial in Self.trials.reversed() {
      let factor = (steps + Self.spacing * Float(trial)) * inverse
      var (square, product) = (BlockLanes(), BlockLanes())
      for i in 0..<group.values.count {
        let level = (group.values[i] * factor).nearest.limited(from: -steps, to: steps - 1)
        let weighted = group.weights[i] * level
        square += weighted * level
        product += weighted * group.values[i]
      }
      let slope = product / square
      let explained = product * slope
      let isBetter = explained .> largest * Self.margin
      largest.replace(with: explained, where: isBetter)
      scale.replace(with: slope, where: isBetter)
    }
  }
}
