// SPDX-License-Identifier: Apache-2.0
/// What the codes of a super-block's scales (or minimums) count: an F16.
struct CodeUnit {
  let bits: UInt16
  let value: Float
  private let least: Float
  private let largest: Float

  /// A unit with which `number`, the one of largest magnitude, gets the code `code`. Rounded to nearest, unless that is so
  /// small, the F16 being subnormal, that the code would fall short by more than half a unit.
  init(of number: Float, code: Float, least: Float, largest: Float) {
    let nearest = number == 0 ? 0 : halfBits(number / code)
    let reach = (code.magnitude + 0.5) * floatOfHalf(nearest).magnitude
    bits = reach < number.magnitude ? nearest + 1 : nearest
    value = floatOfHalf(bits)
    (self.least, self.largest) = (least, largest)
  }

  @inline(__always)
  func codes(of numbers: BlockLanes) -> BlockLanes {
    guard value != 0 else { return BlockLanes() }
    return limited((numbers / value).nearest)
  }

  @inline(__always)
  func limited(_ codes: BlockLanes) -> BlockLanes { codes.limited(from: least, to: largest) }

  /// The nearest code and those next to it: where codes are small, a unit is much of the scale, and another than the
  /// nearest may suit the values better.
  static var changes: SIMD3<Float> { [0, -1, 1] }
}

/// The codes with which scales and minimums leave the least error. O(elements).
struct AffineCodes {
  private(set) var scales: BlockLanes
  private(set) var minimums: BlockLanes

  @inline(__always)
  init(_ group: BlockGroup, steps: Float, _ fit: AffineFit, _ scale: CodeUnit, _ minimum: CodeUnit) {
    var (weight, sum) = (BlockLanes(), BlockLanes())
    for i in 0..<group.values.count {
      weight += group.weights[i]
      sum += group.weights[i] * group.values[i]
    }
    let nearest = scale.codes(of: fit.scale)
    (scales, minimums) = (nearest, minimum.codes(of: fit.minimum))
    let offset = minimum.value * minimums
    var smallest = BlockLanes(repeating: .infinity)
    for change in CodeUnit.changes.indices {
      let codes = scale.limited(nearest + CodeUnit.changes[change])
      let step = scale.value * codes
      let inverse = step.inverses
      // With another step another minimum is best.
      var level = BlockLanes()
      for i in 0..<group.values.count {
        level += group.weights[i] * ((group.values[i] + offset) * inverse).nearest.limited(to: steps)
      }
      let changed = minimum.codes(of: (step * level - sum) / weight)
      let changedOffset = minimum.value * changed
      var error = BlockLanes()
      for i in 0..<group.values.count {
        let height = group.values[i] + changedOffset
        let difference = height - step * (height * inverse).nearest.limited(to: steps)
        error += group.weights[i] * difference * difference
      }
      let isBetter = error .< smallest
      smallest.replace(with: error, where: isBetter)
      scales.replace(with: codes, where: isBetter)
      minimums.replace(with: changed, where: isBetter)
    }
  }
}

/// The same of scales without minimums.
struct SymmetricCodes {
  private(set) var scales: BlockLanes

  @inline(__always)
  init(_ group: BlockGroup, steps: Float, _ fit: BlockLanes, _ scale: CodeUnit) {
    let nearest = scale.codes(of: fit)
    scales = nearest
    var smallest = BlockLanes(repeating: .infinity)
    for change in CodeUnit.changes.indices {
      let codes = scale.limited(nearest + CodeUnit.changes[change])
      let step = scale.value * codes
      let inverse = step.inverses
      var error = BlockLanes()
      for i in 0..<group.values.count {
        let level = (group.values[i] * inverse).nearest.limited(from: -steps, to: steps - 1)
        let difference = group.values[i] - step * level
        error += group.weights[i] * difference * difference
      }
      let isBetter = error .< smallest
      smallest.replace(with: error, where: isBetter)
      scales.replace(with: codes, where: isBetter)
    }
  }
}
