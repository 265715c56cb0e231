// SPDX-License-Identifier: Apache-2.0
extension Quantizer {
  /// Writes blocks of 32: scale in F16, minimum in F16 where there is one, fifth bits where there are any, levels.
  /// Returns the largest element of the first block where scale or minimum is infinite.
  @inline(__always)
  static func blocks(
    _ values: UnsafeBufferPointer<Float>, into output: UnsafeMutableRawBufferPointer, bits: Int, _ kind: BlockGrid.Kind
  ) -> Int? {
    let count = values.count / 32
    guard count > 0 else { return nil }
    let bytes = output.count / count
    return BlockScratch.with { scratch in
      for first in stride(from: 0, to: count, by: 8) {
        let present = min(8, count - first)
        let group = scratch.group(0, length: 32)
        load(values, block: first, present, into: group)
        let grid = BlockGrid(kind, group.values)
        for i in 0..<32 { scratch.setLevels(grid.levels(of: group.values[i]), element: i, length: 32) }
        let (scales, minimums) = (halfBits(grid.scale), halfBits(grid.minimum))
        for j in 0..<present {
          guard scales[j] & 0x7fff < 0x7c00, minimums[j] & 0x7fff < 0x7c00 else {
            let start = (first + j) * 32
            return (start..<start + 32).max { values[$0].magnitude < values[$1].magnitude }
          }
          let start = (first + j) * bytes
          let target = UnsafeMutableRawBufferPointer(rebasing: output[start..<start + bytes])
          target.storeBytes(of: scales[j].littleEndian, as: UInt16.self)
          if kind.hasMinimum { target.storeBytes(of: minimums[j].littleEndian, toByteOffset: 2, as: UInt16.self) }
          let stored = UnsafeRawBufferPointer(scratch.levels)
          let levels = stored.loadUnaligned(fromByteOffset: 32 * j, as: SIMD4<UInt64>.self)
          pack(levels, bits: bits, into: UnsafeMutableRawBufferPointer(rebasing: target[(kind.hasMinimum ? 4 : 2)...]))
        }
      }
      return nil
    }
  }

  /// Loads eight blocks, of which the first `present` are there.
  @inline(__always)
  private static func load(
    _ values: UnsafeBufferPointer<Float>, block: Int, _ present: Int, into group: BlockGroup
  ) {
    let there = UnsafeBufferPointer(rebasing: values[(block * 32)..<((block + present) * 32)])
    guard present < 8 else { return group.load(there) }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 256) { padded in
      for i in 0..<256 { padded[i] = i < there.count ? there[i] : 0 }
      group.load(UnsafeBufferPointer(padded))
    }
  }

  /// Writes 32 levels of 8 bits, or fifth bits if there are any and then nibbles.
  @inline(__always)
  private static func pack(_ levels: SIMD4<UInt64>, bits: Int, into bytes: UnsafeMutableRawBufferPointer) {
    guard bits < 8 else { return bytes.storeBytes(of: levels, as: SIMD4<UInt64>.self) }
    if bits == 5 {
      for word in 0..<4 { bytes[word] = fifthBits(UInt64(littleEndian: levels[word])) }
    }
    // Elements 0 to 15 in the low halves of the bytes, 16 to 31 in the high ones.
    let nibbles = levels & 0x0f0f_0f0f_0f0f_0f0f
    let packed = nibbles.lowHalf | nibbles.highHalf &<< 4
    bytes.storeBytes(of: packed, toByteOffset: bits == 5 ? 4 : 0, as: SIMD2<UInt64>.self)
  }

  /// Bit i is the fifth bit of byte i: the product moves bit 8 i to bit 56 + i, and no two bits to one place.
  @inline(__always)
  private static func fifthBits(_ levels: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: ((levels >> 4 & 0x0101_0101_0101_0101) &* 0x0102_0408_1020_4080) >> 56)
  }
}
