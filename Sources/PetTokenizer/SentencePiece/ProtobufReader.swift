// SPDX-License-Identifier: Apache-2.0
/// Reads one protocol buffer message, field by field (https://protobuf.dev/programming-guides/encoding/).
struct ProtobufReader {
  enum Value {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ message: ArraySlice<UInt8>) { rest = message }

  /// The next field, or nil at the end of the message.
  mutating func next() throws(TokenizerError) -> (field: UInt64, value: Value)? {
    guard !rest.isEmpty else { return nil }
    let key = try varint()
    let field = key >> 3
    guard field > 0 else { throw malformed("field number 0") }
    switch key & 7 {
    case 0: return (field, .varint(try varint()))
    case 1: return (field, .fixed64(littleEndian(try take(8))))
    case 2: return (field, .bytes(try take(try varint())))
    case 5: return (field, .fixed32(UInt32(truncatingIfNeeded: littleEndian(try take(4)))))
    default: throw malformed("wire type \(key & 7)")
    }
  }

  private mutating func varint() throws(TokenizerError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, through: 63, by: 7) {
      guard let byte = rest.popFirst() else { throw malformed("a number cut short") }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw malformed("a number of more than 10 bytes")
  }

  private mutating func take(_ count: UInt64) throws(TokenizerError) -> ArraySlice<UInt8> {
    guard count <= UInt64(rest.count) else { throw malformed("a field of \(count) bytes where \(rest.count) are left") }
    let taken = rest.prefix(Int(count))
    rest = rest.dropFirst(Int(count))
    return taken
  }

  private func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func malformed(_ what: String) -> TokenizerError { .malformedModel(offset: rest.startIndex, what: what) }
}

/// Writes protocol buffer fields.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(field: UInt64, varint value: UInt64) {
    append(varint: field << 3)
    append(varint: value)
  }

  mutating func append(field: UInt64, float value: Float) {
    append(varint: field << 3 | 5)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(field: UInt64, bytes value: some Collection<UInt8>) {
    append(field: field, byteCount: value.count)
    bytes += value
  }

  /// Begins a field of as many bytes as follow: a message, whose fields are appended next.
  mutating func append(field: UInt64, byteCount: Int) {
    append(varint: field << 3 | 2)
    append(varint: UInt64(byteCount))
  }

  private mutating func append(varint value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }

  /// Bytes that a number takes.
  static func byteCount(varint value: Int) -> Int { (64 - (UInt64(value) | 1).leadingZeroBitCount + 6) / 7 }
}
