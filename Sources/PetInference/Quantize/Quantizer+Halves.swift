// SPDX-License-Identifier: Apache-2.0
import CPetKernels

extension Quantizer {
  /// Writes F16.
  static func writeHalves(_ values: UnsafeBufferPointer<Float>, into output: UnsafeMutableRawBufferPointer) {
    // The output may start anywhere and the kernel wants an even address: by way of a small buffer.
    let kernels = pk_kernels_best().pointee
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 256) { halves in
      for start in stride(from: 0, to: values.count, by: halves.count) {
        let count = min(halves.count, values.count - start)
        kernels.narrow_to_f16(UnsafeBufferPointer(rebasing: values[start...]).baseAddress, halves.baseAddress, count)
        UnsafeMutableRawBufferPointer(rebasing: output[(2 * start)...])
          .copyMemory(from: UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: halves[..<count])))
      }
    }
  }
}

/// The bits of one float as F16.
func halfBits(_ value: Float) -> UInt16 {
  var source = value
  var bits: UInt16 = 0
  pk_kernels_best().pointee.narrow_to_f16(&source, &bits, 1)
  return bits
}

/// The bits of eight floats as F16.
func halfBits(_ values: SIMD8<Float>) -> SIMD8<UInt16> {
  var bits = SIMD8<UInt16>()
  withUnsafeBytes(of: values) { source in
    withUnsafeMutableBytes(of: &bits) { target in
      pk_kernels_best().pointee.narrow_to_f16(
        source.assumingMemoryBound(to: Float.self).baseAddress,
        target.assumingMemoryBound(to: UInt16.self).baseAddress, 8)
    }
  }
  return bits
}

func floatOfHalf(_ bits: UInt16) -> Float {
  var source = bits
  var value: Float = 0
  pk_kernels_best().pointee.dequantize(PK_F16, &source, &value, 1)
  return value
}
