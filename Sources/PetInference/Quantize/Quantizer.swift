// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// A value that a type cannot represent: NaN, infinite, or too large for a finite result.
package struct UnquantizableValue: Error, Equatable, Sendable {
  /// Index among the values.
  package let element: Int
  package let value: Float
}

/// Quantizes floats to the element types of GGUF; `dequantize` of the kernels is the inverse.
///
/// The bytes are the same on every machine. F16, BF16 and the types of blocks of 32 are those that `gguf.quants.quantize`
/// makes (the Python package `gguf`). Q2_K to Q6_K, which that package does not write, have a squared error no larger than
/// llama.cpp's without an importance matrix.
package enum Quantizer {
  /// Writes `values` as elements of `type`. O(count); for Q2_K to Q6_K some hundred operations per element. Needs 3 kB of
  /// stack.
  ///
  /// - Parameters:
  ///   - values: whole blocks of the type.
  ///   - output: the bytes of as many blocks, which are overwritten.
  /// - Throws: `UnquantizableValue`, with the output undefined.
  package static func quantize(
    _ values: Span<Float>, as type: QuantizationType, into output: inout MutableRawSpan
  ) throws(UnquantizableValue) {
    let (elements, bytes) = (type.tensorType.blockElements, type.tensorType.blockBytes)
    precondition(values.count.isMultiple(of: elements) && output.byteCount == values.count / elements * bytes)
    let bad: Int? = values.withUnsafeBufferPointer { values in
      output.withUnsafeMutableBytes { quantize(values, as: type, into: $0) }
    }
    if let bad { throw UnquantizableValue(element: bad, value: values[bad]) }
  }

  /// The same of memory that is known to fit; returns the element that cannot be written, if there is one.
  static func quantize(
    _ values: UnsafeBufferPointer<Float>, as type: QuantizationType, into output: UnsafeMutableRawBufferPointer
  ) -> Int? {
    firstElement(of: values, notBelow: type.limit) ?? write(values, as: type, into: output)
  }

  /// Returns the element that made a field of its block infinite.
  private static func write(
    _ values: UnsafeBufferPointer<Float>, as type: QuantizationType, into output: UnsafeMutableRawBufferPointer
  ) -> Int? {
    switch type {
    case .f32: output.copyMemory(from: UnsafeRawBufferPointer(values))
    case .f16: writeHalves(values, into: output)
    case .bf16:
      for (i, value) in values.enumerated() {
        output.storeBytes(of: roundedToBF16(value).littleEndian, toByteOffset: 2 * i, as: UInt16.self)
      }
    case .q4_0: return blocks(values, into: output, bits: 4, .symmetric(steps: 8))
    case .q5_0: return blocks(values, into: output, bits: 5, .symmetric(steps: 16))
    case .q4_1: return blocks(values, into: output, bits: 4, .affine(steps: 15))
    case .q5_1: return blocks(values, into: output, bits: 5, .affine(steps: 31))
    case .q8_0: return blocks(values, into: output, bits: 8, .signed)
    case .q2_K:
      return affineBlocks(values, into: output, length: 16, steps: 3, codes: 15) { $0.packQ2K(into: $1) }
    case .q3_K:
      return symmetricBlocks(values, into: output, steps: 4, codes: 32, codeBias: 32) {
        $0.packQ3K(into: $1)
      }
    case .q4_K:
      return affineBlocks(values, into: output, length: 32, steps: 15, codes: 63) { $0.packQ4K(into: $1) }
    case .q5_K:
      return affineBlocks(values, into: output, length: 32, steps: 31, codes: 63) { $0.packQ5K(into: $1) }
    case .q6_K:
      return symmetricBlocks(values, into: output, steps: 32, codes: 128, codeBias: 0) {
        $0.packQ6K(into: $1)
      }
    }
    return nil
  }

  /// The first element whose magnitude is at least `limit`, or that is not a number.
  static func firstElement(of values: UnsafeBufferPointer<Float>, notBelow limit: UInt32) -> Int? {
    // Bits of magnitudes order as the magnitudes do, with infinity and NaN on top.
    var largest: UInt32 = 0
    for value in values { largest = max(largest, value.bitPattern & 0x7fff_ffff) }
    guard largest >= limit else { return nil }
    return values.firstIndex { $0.bitPattern & 0x7fff_ffff >= limit }
  }
}

extension QuantizationType {
  /// The bits of the first magnitude that becomes infinite: half a step above the largest number. Blocks depend on
  /// their scales, and are looked at when those are known; for those of 256, sums of products must stay finite till then.
  fileprivate var limit: UInt32 {
    switch self {
    case .f16: Float(65520).bitPattern
    case .bf16: 0x7f7f_8000
    // Above the largest scale times the largest codes and levels of any of them.
    case .q2_K, .q3_K, .q4_K, .q5_K, .q6_K: Float(0x1p28).bitPattern
    default: Float.infinity.bitPattern
    }
  }
}
