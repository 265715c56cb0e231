extension Quantizer {
  /// Writes blocks of 32: scale in F16, minimum in F16 where there is one, fifth bits where there are any, levels.
  /// Returns the largest element of the first block where scale or minimum is infinite.
  @inline(__always)
  static func blocks(
    _ values: UnsafeBufferPointer<Float>, into output: UnsafeMutableRawBufferPointer, bytes: Int, bits: Int,
    hasMinimum: Bool = false, levels: (SIMD32<Float>) -> BlockLevels
  ) -> Int? {
    let source = UnsafeRawBufferPointer(values)
    for index in 0..<values.count / 32 {
      let elements = source.loadUnaligned(fromByteOffset: index * 128, as: SIMD32<Float>.self)
      let block = levels(elements)
      let (scale, minimum) = (halfBits(block.scale), halfBits(block.minimum))
      guard scale & 0x7fff < 0x7c00, minimum & 0x7fff < 0x7c00 else {
        var largest = 0
        for i in 1..<32 where elements[i].magnitude > elements[largest].magnitude { largest = i }
        return index * 32 + largest
      }
      var offset = index * bytes
      output.storeBytes(of: scale.littleEndian, toByteOffset: offset, as: UInt16.self)
      offset += 2
      if hasMinimum {
        output.storeBytes(of: minimum.littleEndian, toByteOffset: offset, as: UInt16.self)
        offset += 2
      }
      if bits == 8 {
        output.storeBytes(of: block.levels, toByteOffset: offset, as: SIMD32<UInt8>.self)
        continue
      }
      if bits == 5 {
        output.storeBytes(of: fifthBits(block.levels).littleEndian, toByteOffset: offset, as: UInt32.self)
        offset += 4
      }
      // Elements 0 to 15 in the low halves of the bytes, 16 to 31 in the high ones.
      let packed = block.levels.lowHalf & 15 | block.levels.highHalf &<< 4
      output.storeBytes(of: packed, toByteOffset: offset, as: SIMD16<UInt8>.self)
    }
    return nil
  }

  /// Bit i is the fifth bit of level i.
  private static func fifthBits(_ levels: SIMD32<UInt8>) -> UInt32 {
    var bits: UInt32 = 0
    for i in 0..<32 { bits |= UInt32(levels[i] >> 4) << UInt32(i) }
    return bits
  }
}
