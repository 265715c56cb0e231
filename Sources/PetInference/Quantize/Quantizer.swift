import CPetKernels

/// A value that a type cannot hold: not a number, infinite, or so large that what is stored would be infinite.
public struct UnquantizableValue: Error, Equatable, Sendable {
  /// Its place among the values.
  public let element: Int
  public let value: Float
}

/// Floats to the element types of GGUF; the way back is `dequantize` of the kernels.
///
/// The bytes are those that `gguf.quants.quantize` makes (the Python package `gguf`), on every machine.
public enum Quantizer {
  /// Writes `values` as elements of `type`. O(count), allocates nothing.
  ///
  /// - Parameters:
  ///   - values: whole blocks of the type.
  ///   - output: the bytes of as many blocks, which are overwritten.
  /// - Throws: `UnquantizableValue`, with the output undefined.
  public static func quantize(
    _ values: Span<Float>, as type: QuantizationType, into output: inout MutableRawSpan
  ) throws(UnquantizableValue) {
    let (elements, bytes) = (type.tensorType.blockElements, type.tensorType.blockBytes)
    precondition(values.count.isMultiple(of: elements) && output.byteCount == values.count / elements * bytes)
    let bad: Int? = values.withUnsafeBufferPointer { values in
      if let element = firstElement(of: values, notBelow: type.limit) { return element }
      return output.withUnsafeMutableBytes { write(values, as: type, into: $0) }
    }
    if let bad { throw UnquantizableValue(element: bad, value: values[bad]) }
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
    case .q4_0: return blocks(values, into: output, bytes: 18, bits: 4) { BlockLevels(symmetric: $0, steps: 8) }
    case .q5_0: return blocks(values, into: output, bytes: 22, bits: 5) { BlockLevels(symmetric: $0, steps: 16) }
    case .q4_1:
      return blocks(values, into: output, bytes: 20, bits: 4, hasMinimum: true) {
        BlockLevels(affine: $0, steps: 15)
      }
    case .q5_1:
      return blocks(values, into: output, bytes: 24, bits: 5, hasMinimum: true) {
        BlockLevels(affine: $0, steps: 31)
      }
    case .q8_0: return blocks(values, into: output, bytes: 34, bits: 8) { BlockLevels(signed: $0) }
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
  /// their scales, and are looked at when those are known.
  fileprivate var limit: UInt32 {
    switch self {
    case .f16: Float(65520).bitPattern
    case .bf16: 0x7f7f_8000
    default: Float.infinity.bitPattern
    }
  }
}
