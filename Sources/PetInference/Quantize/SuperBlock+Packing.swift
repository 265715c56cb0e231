// SPDX-License-Identifier: Apache-2.0
/// Encodes super-blocks in GGUF's layouts, which CPetKernels/blocks.h draws.
extension SuperBlock {
  /// 32 levels. As words, because they can be shifted as vectors where bytes cannot; masks keep each byte's bits apart.
  private typealias Run = SIMD4<UInt64>

  private static let bit: UInt64 = 0x0101_0101_0101_0101

  /// Levels 32 * index to 32 * index + 31.
  @inline(__always)
  private func run(_ index: Int) -> Run {
    UnsafeRawBufferPointer(levels).loadUnaligned(fromByteOffset: 32 * index, as: Run.self)
  }

  func packQ2K(into bytes: UnsafeMutableRawBufferPointer) {
    bytes.storeBytes(of: scaleCodes | minimumCodes &<< 4, as: SIMD16<UInt8>.self)
    storeLowPairs(to: bytes, at: 16)
    bytes.storeBytes(of: scale.littleEndian, toByteOffset: 80, as: UInt16.self)
    bytes.storeBytes(of: minimum.littleEndian, toByteOffset: 82, as: UInt16.self)
  }

  func packQ3K(into bytes: UnsafeMutableRawBufferPointer) {
    storeBits(2, to: bytes, at: 0)
    storeLowPairs(to: bytes, at: 32)
    let nibbles = scaleCodes.lowHalf & 15 | scaleCodes.highHalf &<< 4
    bytes.storeBytes(of: nibbles, toByteOffset: 96, as: SIMD8<UInt8>.self)
    let high = scaleCodes &>> 4
    for j in 0..<4 {
      bytes[104 + j] = high[j] | high[4 + j] << 2 | high[8 + j] << 4 | high[12 + j] << 6
    }
    bytes.storeBytes(of: scale.littleEndian, toByteOffset: 108, as: UInt16.self)
  }

  func packQ4K(into bytes: UnsafeMutableRawBufferPointer) {
    storeSixBitCodes(to: bytes)
    storeNibbles(to: bytes, at: 16)
  }

  func packQ5K(into bytes: UnsafeMutableRawBufferPointer) {
    storeSixBitCodes(to: bytes)
    storeBits(4, to: bytes, at: 16)
    storeNibbles(to: bytes, at: 48)
  }

  func packQ6K(into bytes: UnsafeMutableRawBufferPointer) {
    let (low, high) = (15 * Self.bit, 3 * Self.bit)
    for half in 0..<2 {
      let (a, b, c, d) = (run(4 * half), run(4 * half + 1), run(4 * half + 2), run(4 * half + 3))
      bytes.storeBytes(of: a & low | (c & low) &<< 4, toByteOffset: 64 * half, as: Run.self)
      bytes.storeBytes(of: b & low | (d & low) &<< 4, toByteOffset: 64 * half + 32, as: Run.self)
      let pairs = (a &>> 4) & high | ((b &>> 4) & high) &<< 2 | ((c &>> 4) & high) &<< 4 | ((d &>> 4) & high) &<< 6
      bytes.storeBytes(of: pairs, toByteOffset: 128 + 32 * half, as: Run.self)
    }
    bytes.storeBytes(of: scaleCodes, toByteOffset: 192, as: SIMD16<UInt8>.self)
    bytes.storeBytes(of: scale.littleEndian, toByteOffset: 208, as: UInt16.self)
  }

  /// Bit i / 32 of byte i % 32 is bit `place` of level i.
  @inline(__always)
  private func storeBits(_ place: UInt64, to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    var bits = Run()
    for index in 0..<8 { bits |= ((run(index) &>> place) & Self.bit) &<< UInt64(index) }
    bytes.storeBytes(of: bits, toByteOffset: offset, as: Run.self)
  }

  /// Two bits of each level, four levels that are 32 apart in one byte.
  @inline(__always)
  private func storeLowPairs(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    let low = 3 * Self.bit
    for half in 0..<2 {
      let (a, b, c, d) = (run(4 * half), run(4 * half + 1), run(4 * half + 2), run(4 * half + 3))
      let pairs = a & low | (b & low) &<< 2 | (c & low) &<< 4 | (d & low) &<< 6
      bytes.storeBytes(of: pairs, toByteOffset: offset + 32 * half, as: Run.self)
    }
  }

  /// Four bits of each level, two levels that are 32 apart in one byte.
  @inline(__always)
  private func storeNibbles(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    let low = 15 * Self.bit
    for pair in 0..<4 {
      let nibbles = run(2 * pair) & low | (run(2 * pair + 1) & low) &<< 4
      bytes.storeBytes(of: nibbles, toByteOffset: offset + 32 * pair, as: Run.self)
    }
  }

  /// Scale, minimum and the 12 bytes of codes that Q4_K and Q5_K begin with.
  @inline(__always)
  private func storeSixBitCodes(to bytes: UnsafeMutableRawBufferPointer) {
    bytes.storeBytes(of: scale.littleEndian, as: UInt16.self)
    bytes.storeBytes(of: minimum.littleEndian, toByteOffset: 2, as: UInt16.self)
    for j in 0..<4 {
      bytes[4 + j] = scaleCodes[j] | (scaleCodes[4 + j] >> 4) << 6
      bytes[8 + j] = minimumCodes[j] | (minimumCodes[4 + j] >> 4) << 6
      bytes[12 + j] = scaleCodes[4 + j] & 15 | minimumCodes[4 + j] << 4
    }
  }
}
