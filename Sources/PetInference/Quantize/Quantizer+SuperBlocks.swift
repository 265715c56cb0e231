// SPDX-License-Identifier: Apache-2.0
/// The types of super-blocks of 256 elements. Their sub-blocks' scales are codes that count a scale of the super-block, so
/// there are two roundings: first each sub-block gets the scale that suits it, then the scales get codes, and then the
/// levels are chosen anew for what the codes say. All this makes the weighted squared error small, the weights being
/// larger for larger numbers, about as llama.cpp has them without an importance matrix.
extension Quantizer {
  /// Writes blocks whose sub-blocks have a scale and a minimum, each of a code from 0 to `codes`.
  /// Returns the largest element of the first block where a field is infinite.
  @inline(__always)
  static func affineBlocks(
    _ values: UnsafeBufferPointer<Float>, into output: UnsafeMutableRawBufferPointer, length: Int, steps: Float,
    codes: Float, pack: (SuperBlock, UnsafeMutableRawBufferPointer) -> Void
  ) -> Int? {
    superBlocks(values, into: output, pack: pack) { elements, scratch in
      var block = SuperBlock(levels: scratch.levels)
      let groups = SuperBlock.count / (8 * length)
      var fits = (AffineFit(), AffineFit())
      for index in 0..<groups {
        let group = scratch.group(index, length: length)
        group.load(UnsafeBufferPointer(rebasing: elements[(8 * length * index)..<(8 * length * (index + 1))]))
        group.weighByMagnitude()
        let fit = AffineFit(group, steps: steps, heights: scratch.heights)
        if index == 0 { fits.0 = fit } else { fits.1 = fit }
      }
      let scale = CodeUnit(
        of: max(fits.0.scale.max(), fits.1.scale.max()), code: codes, least: 0, largest: codes)
      let minimum = CodeUnit(
        of: max(fits.0.minimum.max(), fits.1.minimum.max()), code: codes, least: 0, largest: codes)
      (block.scale, block.minimum) = (scale.bits, minimum.bits)
      for index in 0..<groups {
        let group = scratch.group(index, length: length)
        let found = AffineCodes(group, steps: steps, index == 0 ? fits.0 : fits.1, scale, minimum)
        block.scaleCodes[half: index] = found.scales.lowBytes
        block.minimumCodes[half: index] = found.minimums.lowBytes
        let inverse = (scale.value * found.scales).inverses
        let offset = minimum.value * found.minimums
        for i in 0..<length {
          let levels = ((group.values[i] + offset) * inverse).nearest.limited(to: steps)
          scratch.setLevels(levels.lowBytes, element: i, group: index, length: length)
        }
      }
      return block
    }
  }

  /// Writes blocks whose 16 sub-blocks have a scale of a code in -codes ..< codes, to which `codeBias` is added.
  /// Returns the largest element of the first block where the scale is infinite.
  @inline(__always)
  static func symmetricBlocks(
    _ values: UnsafeBufferPointer<Float>, into output: UnsafeMutableRawBufferPointer, steps: Float, codes: Float,
    codeBias: Float, pack: (SuperBlock, UnsafeMutableRawBufferPointer) -> Void
  ) -> Int? {
    superBlocks(values, into: output, pack: pack) { elements, scratch in
      let length = 16
      var block = SuperBlock(levels: scratch.levels)
      var fits = (BlockLanes(), BlockLanes())
      for index in 0..<2 {
        let group = scratch.group(index, length: length)
        group.load(UnsafeBufferPointer(rebasing: elements[(8 * length * index)..<(8 * length * (index + 1))]))
        group.weighBySquare()
        let fit = SymmetricFit(group, steps: steps).scale
        if index == 0 { fits.0 = fit } else { fits.1 = fit }
      }
      // The scale of largest magnitude gets the code of largest magnitude, which is negative.
      let (least, largest) = (min(fits.0.min(), fits.1.min()), max(fits.0.max(), fits.1.max()))
      let scale = CodeUnit(
        of: largest > -least ? largest : least, code: -codes, least: -codes, largest: codes - 1)
      var (product, square) = (BlockLanes(), BlockLanes())
      for index in 0..<2 {
        let group = scratch.group(index, length: length)
        let found = SymmetricCodes(group, steps: steps, index == 0 ? fits.0 : fits.1, scale).scales
        block.scaleCodes[half: index] = (found + codeBias).lowBytes
        let inverse = (scale.value * found).inverses
        for i in 0..<length {
          let levels = (group.values[i] * inverse).nearest.limited(from: -steps, to: steps - 1)
          scratch.setLevels((levels + steps).lowBytes, element: i, group: index, length: length)
          let multiple = found * levels
          let weighted = group.weights[i] * multiple
          product += weighted * group.values[i]
          square += weighted * multiple
        }
      }
      // For these codes and levels another scale may be better, again by regression. The sum is NaN where the scale is
      // infinite.
      let sum = square.sum()
      block.scale = sum > 0 ? halfBits(product.sum() / sum) : scale.bits
      return block
    }
  }

  @inline(__always)
  private static func superBlocks(
    _ values: UnsafeBufferPointer<Float>, into output: UnsafeMutableRawBufferPointer,
    pack: (SuperBlock, UnsafeMutableRawBufferPointer) -> Void,
    quantize: (UnsafeBufferPointer<Float>, BlockScratch) -> SuperBlock
  ) -> Int? {
    let count = values.count / SuperBlock.count
    guard count > 0 else { return nil }
    let bytes = output.count / count
    return BlockScratch.with { scratch in
      for index in 0..<count {
        let elements = (index * SuperBlock.count)..<((index + 1) * SuperBlock.count)
        let block = quantize(UnsafeBufferPointer(rebasing: values[elements]), scratch)
        guard block.isFinite else { return elements.max { values[$0].magnitude < values[$1].magnitude } }
        pack(block, UnsafeMutableRawBufferPointer(rebasing: output[(index * bytes)..<((index + 1) * bytes)]))
      }
      return nil
    }
  }
}

extension SIMD16 {
  @inline(__always)
  fileprivate subscript(half index: Int) -> SIMD8<Scalar> {
    get { index == 0 ? lowHalf : highHalf }
    set { if index == 0 { lowHalf = newValue } else { highHalf = newValue } }
  }
}
