// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import PetInference
import Testing

/// The types of blocks of 256, whose scales are searched for. The reference is llama.cpp's quantizer
/// (`Goldens/make_super_block_goldens.py`), and the measure the squared error, read back by kernels that have goldens of
/// their own.
@Suite struct SuperBlockTests {
  static let types: [QuantizationType] = [.q2_K, .q3_K, .q4_K, .q5_K, .q6_K]

  private struct Case: Decodable {
    let name: String
    let blocks: Int
    let errors: [String: Double?]
  }

  private static func golden(_ name: String) throws -> Data {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
    return try Data(contentsOf: folder.appending(path: name))
  }

  private static func cases() throws -> [(case: Case, values: [Float])] {
    let data = try golden("super-blocks.f32")
    let values = data.withUnsafeBytes { raw in
      (0..<raw.count / 4).map {
        Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
    var start = 0
    let found = try JSONDecoder().decode([Case].self, from: golden("super-blocks.json")).map { described in
      defer { start += described.blocks * 256 }
      return (described, Array(values[start..<start + described.blocks * 256]))
    }
    try #require(start == values.count)
    return found
  }

  private func quantized(_ values: [Float], _ type: QuantizationType) throws(UnquantizableValue) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xaa, count: values.count / 256 * type.tensorType.blockBytes)
    var output = bytes.mutableSpan
    var target = output.mutableBytes
    try Quantizer.quantize(values.span, as: type, into: &target)
    return bytes
  }

  private func readBack(_ bytes: [UInt8], _ type: QuantizationType) -> [Float] {
    var values = [Float](repeating: .nan, count: bytes.count / type.tensorType.blockBytes * 256)
    pk_kernels_best().pointee.dequantize(type.tensorType.kernelType, bytes, &values, values.count)
    return values
  }

  private func meanSquare(_ values: [Float], minus others: [Float]? = nil) -> Double {
    values.indices.reduce(0) { sum, i in
      let difference = Double(values[i]) - Double(others?[i] ?? 0)
      return sum + difference * difference
    } / Double(values.count)
  }

  @Test(arguments: types)
  func errorIsNoLargerThanTheReference(_ type: QuantizationType) throws {
    for (described, values) in try Self.cases() {
      let error = meanSquare(values, minus: readBack(try quantized(values, type), type))
      let reference = try #require(described.errors[type.name] ?? nil, "\(described.name)")
      // What rounding the scale to F16 costs is a matter of luck: values that fit a grid have no other error.
      let rounding = meanSquare(values) * 0x1p-22
      #expect(error <= max(1.01 * reference, rounding), "\(described.name): \(error), reference \(reference)")
    }
  }

  /// Small weights have scales of few bits; there the codes are chosen for the scale as it is stored.
  @Test(arguments: [QuantizationType.q4_K, .q5_K, .q6_K])
  func smallWeightsFareBetterThanWithTheReference(_ type: QuantizationType) throws {
    let (described, values) = try #require(try Self.cases().first { $0.case.name.hasPrefix("scales of a few units") })
    let error = meanSquare(values, minus: readBack(try quantized(values, type), type))
    let reference = try #require(described.errors[type.name] ?? nil)
    #expect(error < 0.8 * reference)
  }

  /// Every block of 256 is quantized by itself.
  @Test(arguments: types)
  func blocksDoNotDependOnEachOther(_ type: QuantizationType) throws {
    let values = try Self.cases().flatMap { $0.values.prefix(1024) }
    let whole = try quantized(values, type)
    var parts: [UInt8] = []
    for start in stride(from: 0, to: values.count, by: 256) {
      parts += try quantized(Array(values[start..<start + 256]), type)
    }
    #expect(whole == parts)
  }

  /// On every machine: the search has one order of operations.
  @Test(
    arguments: zip(
      types,
      [
        18_393_422_060_137_776_430, 11_971_809_667_319_419_388, 9_880_761_943_275_365_888, 12_768_318_480_464_363_310,
        2_616_322_660_315_938_610,
      ] as [UInt64]))
  func bytesAreTheSameEverywhere(_ type: QuantizationType, _ expected: UInt64) throws {
    let values = try Self.cases().flatMap(\.values)
    // FNV-1a
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in try quantized(values, type) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    #expect(hash == expected)
  }

  @Test(arguments: types)
  func refusesWhatIsNoFiniteNumber(_ type: QuantizationType) throws {
    for bad in [Float.nan, .infinity, -.infinity, .signalingNaN] {
      for element in [0, 255, 300] {
        var values = [Float](repeating: 0.5, count: 512)
        values[element] = bad
        #expect {
          _ = try quantized(values, type)
        } throws: { error in
          guard let error = error as? UnquantizableValue else { return false }
          return error.element == element && error.value.bitPattern == bad.bitPattern
        }
      }
    }
  }

  /// Values that need nearly the largest F16 for their scale are written; those twice as large as can be are refused, never
  /// made infinite.
  @Test(arguments: zip(types, [45, 128, 945, 1953, 4096] as [Float]))
  func refusesWhatWouldBecomeInfinite(_ type: QuantizationType, _ codesTimesLevels: Float) throws {
    for sign in [1, -1] as [Float] {
      var values = [Float](repeating: 0, count: 512)
      // Minimums have no levels to be multiplied with.
      let isNegativeMinimum = sign < 0 && ![.q3_K, .q6_K].contains(type)
      let codes: Float = isNegativeMinimum ? (type == .q2_K ? 15 : 63) : codesTimesLevels
      let edge = 65504 * codes
      for (factor, isWritten) in [(0.6, true), (2, false), (1e3, false), (1e20, false)] as [(Float, Bool)] {
        // A whole sub-block, so that no minimum is needed.
        for i in 288..<320 { values[i] = sign * edge * factor }
        do throws(UnquantizableValue) {
          let back = readBack(try quantized(values, type), type)
          #expect(isWritten && back.allSatisfy { $0.isFinite }, "\(sign * edge * factor)")
          #expect(abs(back[300] / values[300] - 1) < 0.1)
        } catch {
          #expect(!isWritten && (288..<320).contains(error.element), "\(sign * edge * factor)")
        }
      }
    }
  }

  /// Whatever the bits, in blocks of like and of unlike magnitudes: an answer that reads back finite, or an error.
  @Test(arguments: types)
  func anyBitsAreWrittenOrRefused(_ type: QuantizationType) throws {
    var random = RandomSource(seed: 6)
    var (written, refused) = (0, 0)
    for round in 0..<3000 {
      let exponent = UInt32(truncatingIfNeeded: random.next()) & 0x7f80_0000
      let range: UInt32 = round % 3 == 0 ? 0x80ff_ffff : round % 3 == 1 ? 0x87ff_ffff : 0xbfff_ffff
      let values = (0..<256).map { _ in
        Float(bitPattern: UInt32(truncatingIfNeeded: random.next()) & range ^ exponent)
      }
      guard let bytes = try? quantized(values, type) else {
        refused += 1
        continue
      }
      written += 1
      let isFinite = readBack(bytes, type).allSatisfy { $0.isFinite }
      #expect(isFinite)
    }
    #expect(written > 300 && refused > 100)
  }
}
