// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import PetInference
import Testing

@Suite struct QuantizerTests {
  /// A file that `Goldens/make_quantize_goldens.py` made with the `gguf` package.
  private static func golden(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
    return [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  private static func values() throws -> [Float] {
    try golden("values.f32").withUnsafeBytes { raw in
      (0..<raw.count / 4).map {
        Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
  }

  private func quantized(_ values: [Float], _ type: QuantizationType) throws -> [UInt8] {
    let size = values.count / type.tensorType.blockElements * type.tensorType.blockBytes
    var bytes = [UInt8](repeating: 0xaa, count: size)
    var output = bytes.mutableSpan
    var target = output.mutableBytes
    try Quantizer.quantize(values.span, as: type, into: &target)
    return bytes
  }

  /// `SuperBlockTests` has the others.
  static let types = QuantizationType.allCases.filter { !SuperBlockTests.types.contains($0) }

  @Test(arguments: types)
  func agreesWithTheReferenceToTheBit(_ type: QuantizationType) throws {
    let values = try Self.values()
    let expected = try Self.golden(type == .f32 ? "values.f32" : "\(type.name).blocks")
    let found = try quantized(values, type)
    try #require(found.count == expected.count && values.count > 10_000)
    let different = found.indices.first { found[$0] != expected[$0] }
    let block = different.map { $0 / type.tensorType.blockBytes }
    #expect(different == nil, "byte \(different ?? 0), block \(block ?? 0)")
  }

  @Test(arguments: types)
  func refusesWhatIsNoFiniteNumber(_ type: QuantizationType) throws {
    for bad in [Float.nan, .infinity, -.infinity, .signalingNaN] {
      for element in [0, 31, 70, 95] {
        var values = [Float](repeating: 0.5, count: 96)
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

  /// The largest number that each type can hold in a block of its own sign, and the next one.
  @Test func refusesWhatWouldBecomeInfinite() throws {
    func accepts(_ type: QuantizationType, _ value: Float) -> Bool {
      var values = [Float](repeating: 0, count: 64)
      values[40] = value
      do {
        _ = try quantized(values, type)
        return true
      } catch {
        return (error as? UnquantizableValue)?.element != 40
      }
    }
    let edges: [(QuantizationType, Float)] = [
      (.f16, 65520), (.q8_0, 65520 * 127), (.q4_0, 65520 * 8), (.q5_0, 65520 * 16), (.q4_1, 65520 * 15),
      (.q5_1, 65520 * 31), (.bf16, Float(bitPattern: 0x7f7f_8000)),
    ]
    for (type, edge) in edges {
      #expect(accepts(type, edge.nextDown) && !accepts(type, edge), "\(type)")
    }
    // A minimum has no levels to be divided by.
    #expect(accepts(.q4_1, Float(-65520).nextUp) && !accepts(.q4_1, -65520))
    #expect(accepts(.f32, .greatestFiniteMagnitude) && accepts(.f32, -.greatestFiniteMagnitude))
    // The range of one block overflows a float.
    var wide = [Float](repeating: 0, count: 32)
    (wide[3], wide[9]) = (.greatestFiniteMagnitude, -.greatestFiniteMagnitude)
    for type in Self.types where type.tensorType.isQuantized {
      #expect(throws: UnquantizableValue.self) { _ = try quantized(wide, type) }
    }
  }

  /// Whatever the bits, in blocks of like and of unlike magnitudes: an answer that reads back finite, or an error.
  @Test(arguments: types)
  func anyBitsAreWrittenOrRefused(_ type: QuantizationType) throws {
    var random = RandomSource(seed: 5)
    var (written, refused) = (0, 0)
    for round in 0..<4000 {
      let exponent = UInt32(truncatingIfNeeded: random.next()) & 0x7f80_0000
      let values = (0..<32).map { _ in
        let bits = UInt32(truncatingIfNeeded: random.next())
        return Float(bitPattern: round % 4 == 0 ? bits : bits & 0x80ff_ffff ^ exponent)
      }
      guard let bytes = try? quantized(values, type) else {
        refused += 1
        continue
      }
      written += 1
      var back = [Float](repeating: .nan, count: 32)
      pk_kernels_best().pointee.dequantize(type.tensorType.kernelType, bytes, &back, 32)
      let isFinite = back.allSatisfy { $0.isFinite }
      #expect(isFinite)
    }
    #expect(written > 100 && refused > 10)
  }

  @Test func namesAreReadInAnyCase() {
    for type in QuantizationType.allCases {
      #expect(QuantizationType(name: type.name.lowercased()) == type)
      #expect(type.tensorType.name == type.name)
    }
    #expect(QuantizationType(name: "Q8_1") == nil && QuantizationType(name: "") == nil)
    for mix in QuantizationMix.allCases {
      #expect(QuantizationTarget(name: mix.name.lowercased()) == .mix(mix))
    }
    #expect(QuantizationTarget(name: "q4_k") == .type(.q4_K) && QuantizationTarget(name: "Q4_K_L") == nil)
  }
}
