// SPDX-License-Identifier: Apache-2.0
/// A read position in a span of little-endian bytes. Every read is bounds-checked.
struct ByteCursor {
  private(set) var offset = 0

  /// Reads one integer.
  mutating func read<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ what: @autoclosure () -> String, in bytes: RawSpan
  ) throws(GGUFError.Reason) -> T {
    let size = MemoryLayout<T>.size
    try require(UInt64(size), what(), in: bytes)
    // In bounds by the line above; any bit pattern is an integer.
    let value = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: T.self)
    offset += size
    return T(littleEndian: value)
  }

  /// Skips `count` bytes and returns their range.
  mutating func skip(
    _ count: UInt64, _ what: @autoclosure () -> String, in bytes: RawSpan
  ) throws(GGUFError.Reason) -> Range<Int> {
    try require(count, what(), in: bytes)
    let start = offset
    offset += Int(count)  // bounded by the check above
    return start..<offset
  }

  private func require(
    _ count: UInt64, _ what: @autoclosure () -> String, in bytes: RawSpan
  ) throws(GGUFError.Reason) {
    let available = bytes.byteCount - offset
    guard count <= UInt64(available) else {
      throw .truncated(what: what(), offset: offset, needed: count, available: available)
    }
  }
}

extension RawSpan {
  /// The bytes of a range that a cursor has checked.
  func copy(_ range: Range<Int>) -> [UInt8] {
    extracting(range).withUnsafeBytes { [UInt8]($0) }
  }

  /// A string, if the bytes are UTF-8.
  func string(_ range: Range<Int>) -> String? {
    extracting(range).withUnsafeBytes { String(validating: $0, as: UTF8.self) }
  }
}
