// SPDX-License-Identifier: Apache-2.0
/// The scale and the minimum with which levels 0...steps come nearest to the values of a sub-block, for eight at once:
/// value(i) ~ scale * level(i) - minimum, with minimum >= 0 as the formats have it.
///
/// For given levels the best pair is weighted linear regression. Which levels are best is searched: the grid is stretched
/// from one level less than spans the values to one more, in fifths, beginning each time where the best one found begins.
/// O(trials * elements).
struct AffineFit {
  private(set) var scale = BlockLanes()
  private(set) var minimum = BlockLanes()

  private static let trials = -5...5
  private static let spacing: Float = 0.2
  /// Share of its largest value below which the regression's determinant is rounding errors: all levels are equal then.
  private static let undetermined: Float = 1e-5

  /// Zeros.
  init() {}

  /// - Parameter heights: room for as many vectors as the group has.
  @inline(__always)
  init(_ group: BlockGroup, steps: Float, heights: UnsafeMutableBufferPointer<BlockLanes>) {
    var (least, largest) = (BlockLanes(), group.values[0])
    for value in group.values {
      least.replace(with: value, where: value .< least)
      largest.replace(with: value, where: value .> largest)
    }
    let range = largest - least
    let hasLevels = range .> BlockGroup.least

    // Everything is counted from `least`: numbers that differ little would otherwise cancel to nothing.
    var (weight, height, square) = (BlockLanes(), BlockLanes(), BlockLanes())
    for i in 0..<group.values.count {
      heights[i] = group.values[i] - least
      let product = group.weights[i] * heights[i]
      weight += group.weights[i]
      height += product
      square += product * heights[i]
    }

    var (smallest, origin) = (BlockLanes(repeating: .infinity), BlockLanes())
    for trial in Self.trials {
      let levels = steps + Self.spacing * Float(trial)
      let inverse = BlockLanes().replacing(with: levels / (range - origin), where: hasLevels)
      // Weighted sums of levels, their squares, and their products with heights.
      var (level, levelSquare, product) = (BlockLanes(), BlockLanes(), BlockLanes())
      for i in 0..<group.values.count {
        let chosen = ((heights[i] - origin) * inverse).nearest.limited(to: steps)
        let weighted = group.weights[i] * chosen
        level += weighted
        levelSquare += weighted * chosen
        product += weighted * heights[i]
      }

      let determinant = weight * levelSquare - level * level
      var shift = (levelSquare * height - level * product) / determinant
      var slope = (weight * product - height * level) / determinant
      // A minimum below 0 cannot be stored, and equal levels leave only the slope to choose.
      let isFlat = determinant .<= Self.undetermined * weight * levelSquare
      shift.replace(with: 0, where: isFlat)
      let isHigh = shift .> -least
      shift.replace(with: -least, where: isHigh)
      slope.replace(with: (product - shift * level) / levelSquare, where: isHigh .| isFlat)

      // The sum of weight * (slope * level + shift - height)^2, multiplied out.
      let ofSlope = slope * (slope * levelSquare + 2 * (shift * level - product))
      let ofShift = shift * (shift * weight - 2 * height)
      let error = square + ofSlope + ofShift
      // Nothing is better where the range is 0: all is NaN there.
      let isBetter = (error .< smallest) .& (slope .> 0)
      smallest.replace(with: error, where: isBetter)
      scale.replace(with: slope, where: isBetter)
      origin.replace(with: shift, where: isBetter)
    }
    minimum = BlockLanes() - (least + origin)
  }
}
