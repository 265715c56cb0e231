// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import Testing

@Suite struct DequantizeTests {
  static func golden(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: "Goldens/\(name)", withExtension: nil))
    return [UInt8](try Data(contentsOf: url))
  }

  @Test(arguments: allVariants, quantizedTypes + [PK_F16, PK_BF16])
  func agreesWithTheReferenceToTheBit(variant: pk_variant, type: pk_type) throws {
    let blocks = try Self.golden("\(type.name).blocks")
    let bits = try Self.golden("\(type.name).f32")
    let expected = bits.withUnsafeBytes { bits in
      stride(from: 0, to: bits.count, by: 4).map {
        Float(bitPattern: UInt32(littleEndian: bits.loadUnaligned(fromByteOffset: $0, as: UInt32.self)))
      }
    }
    let values = try dequantized(variant, type, blocks)
    #expect(values.count == expected.count && values.count > 400)
    #expect(values.indices.first { values[$0].bitPattern != expected[$0].bitPattern } == nil)
  }

  @Test(arguments: fastVariants, quantizedTypes)
  func anyBytesComeOutAsInTheScalarVariant(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(7)
    for blocks in [1, 2, 3, 7, 64] {
      let bytes = random.bytes(blocks * pk_block_bytes(type))
      let expected = try dequantized(PK_SCALAR, type, bytes)
      #expect(firstDifference(try dequantized(variant, type, bytes), expected) == nil)
    }
  }

  @Test(arguments: allVariants)
  func everyF16WidensExactly(variant: pk_variant) throws {
    let halves = (0...UInt16.max).flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    let values = try dequantized(variant, PK_F16, halves)
    for bits in 0...UInt16.max {
      let value = values[Int(bits)]
      let expected = Float(Float16(bitPattern: bits))
      if !same(value, expected) {
        Issue.record("F16 \(bits) gave \(value), not \(expected)")
      }
    }
  }

  @Test(arguments: allVariants)
  func oddCountsOfHalvesStayInBounds(variant: pk_variant) throws {
    for count in [1, 3, 15, 17, 31] {
      let halves = (0..<count).flatMap { withUnsafeBytes(of: Float16($0).bitPattern, Array.init) }
      #expect(try dequantized(variant, PK_F16, halves) == (0..<count).map(Float.init))
    }
  }

  @Test(arguments: allVariants)
  func f32IsCopiedBitForBit(variant: pk_variant) throws {
    let bits: [UInt32] = [0, 1, 0x8000_0000, 0x7F80_0000, 0x7FC0_0001, 0x7F80_0001, 0x3F80_0000, 0x0080_0000]
    let values = try dequantized(variant, PK_F32, bits.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) })
    #expect(values.map(\.bitPattern) == bits)
  }

  @Test func everyTypeHasBlocksAndOthersNone() {
    for type in quantizedTypes + floatTypes {
      #expect(pk_block_elements(type) > 0 && pk_block_bytes(type) > 0)
    }
    for raw: Int32 in [-1, 4, 5, 9, 15, 16, 29, 31, .max, .min] {
      #expect(pk_block_elements(pk_type(rawValue: raw)) == 0 && pk_block_bytes(pk_type(rawValue: raw)) == 0)
    }
  }

  @Test(.enabled(if: getenv("PET_KERNELS") == nil, "PET_KERNELS names other kernels"))
  func theBestVariantIsTheLastThatRuns() throws {
    let best = try #require(pk_kernels_best()).pointee
    #expect(best.variant == allVariants.last)
  }
}
