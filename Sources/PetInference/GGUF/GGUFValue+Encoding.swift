// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension GGUFValue {
  public static func text(_ text: String) -> GGUFValue { .string(Array(text.utf8)) }

  /// An array of strings, each given as its bytes.
  public static func texts(_ texts: some Sequence<[UInt8]>) -> GGUFValue { .strings(GGUFStrings(texts)) }

  public static func int32s(_ values: [Int32]) -> GGUFValue {
    .array(.int32, count: values.count, bytes: ByteRegion(values.flatMap { littleEndianBytes($0) }))
  }

  package static func float32s(_ values: [Float]) -> GGUFValue {
    .array(.float32, count: values.count, bytes: ByteRegion(values.flatMap { littleEndianBytes($0.bitPattern) }))
  }

  /// The type tag that precedes the value in a file.
  package var type: GGUFValueType {
    switch self {
    case .uint8: .uint8
    case .int8: .int8
    case .uint16: .uint16
    case .int16: .int16
    case .uint32: .uint32
    case .int32: .int32
    case .uint64: .uint64
    case .int64: .int64
    case .float32: .float32
    case .float64: .float64
    case .bool: .bool
    case .string: .string
    case .array, .strings: .array
    }
  }

  /// Whether an array's type, count and bytes are consistent.
  var isWellFormed: Bool {
    switch self {
    case .array(let type, let count, let bytes):
      guard let size = type.byteCount, count >= 0 else { return false }
      let (total, overflow) = count.multipliedReportingOverflow(by: size)
      return !overflow && total == bytes.count
    default: return true
    }
  }

  /// Appends the encoded value, without its tag. Call on well-formed values only.
  func encode(into output: inout [UInt8]) {
    switch self {
    case .uint8(let value): output.append(value)
    case .int8(let value): output.append(UInt8(bitPattern: value))
    case .uint16(let value): output += littleEndianBytes(value)
    case .int16(let value): output += littleEndianBytes(value)
    case .uint32(let value): output += littleEndianBytes(value)
    case .int32(let value): output += littleEndianBytes(value)
    case .uint64(let value): output += littleEndianBytes(value)
    case .int64(let value): output += littleEndianBytes(value)
    case .float32(let value): output += littleEndianBytes(value.bitPattern)
    case .float64(let value): output += littleEndianBytes(value.bitPattern)
    case .bool(let value): output.append(value ? 1 : 0)
    case .string(let bytes): encodeGGUFString(bytes, into: &output)
    case .array(let type, let count, let bytes):
      output += littleEndianBytes(type.rawValue)
      output += littleEndianBytes(UInt64(count))
      bytes.withUnsafeBytes { output += $0 }
    case .strings(let strings):
      output += littleEndianBytes(GGUFValueType.string.rawValue)
      output += littleEndianBytes(UInt64(strings.count))
      strings.bytes.withUnsafeBytes { output += $0 }
    }
  }
}

extension GGUFValueType {
  /// Bytes of one fixed-size element; nil for strings and arrays.
  var byteCount: Int? {
    switch self {
    case .uint8, .int8, .bool: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64: 8
    case .string, .array: nil
    }
  }
}

/// A string of the format: its length in 64 bits, then its bytes.
func encodeGGUFString(_ text: some Collection<UInt8>, into output: inout [UInt8]) {
  output += littleEndianBytes(UInt64(text.count))
  output += text
}

package func littleEndianBytes(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
