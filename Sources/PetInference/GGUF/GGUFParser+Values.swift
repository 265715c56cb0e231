// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension GGUFParser {
  /// Reads one metadata value after its key.
  static func readValue(
    _ key: String, _ cursor: inout ByteCursor, _ file: MappedFile
  ) throws(GGUFError.Reason) -> GGUFValue {
    let bytes = file.bytes.bytes
    let type = try readType(key, &cursor, bytes)
    switch type {
    case .uint8: return .uint8(try cursor.read(UInt8.self, key, in: bytes))
    case .int8: return .int8(try cursor.read(Int8.self, key, in: bytes))
    case .uint16: return .uint16(try cursor.read(UInt16.self, key, in: bytes))
    case .int16: return .int16(try cursor.read(Int16.self, key, in: bytes))
    case .uint32: return .uint32(try cursor.read(UInt32.self, key, in: bytes))
    case .int32: return .int32(try cursor.read(Int32.self, key, in: bytes))
    case .uint64: return .uint64(try cursor.read(UInt64.self, key, in: bytes))
    case .int64: return .int64(try cursor.read(Int64.self, key, in: bytes))
    case .float32: return .float32(Float(bitPattern: try cursor.read(UInt32.self, key, in: bytes)))
    case .float64: return .float64(Double(bitPattern: try cursor.read(UInt64.self, key, in: bytes)))
    case .bool:
      let value = try cursor.read(UInt8.self, key, in: bytes)
      guard value <= 1 else { throw .invalidBool(key: key, value: value) }
      return .bool(value == 1)
    case .string:
      let length = try cursor.read(UInt64.self, "length of \(key)", in: bytes)
      return .string(bytes.copy(try cursor.skip(length, key, in: bytes)))
    case .array: return try readArray(key, &cursor, file)
    }
  }

  private static func readType(
    _ key: String, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(GGUFError.Reason) -> GGUFValueType {
    let raw = try cursor.read(UInt32.self, "type of \(key)", in: bytes)
    guard let type = GGUFValueType(rawValue: raw) else { throw .unknownValueType(key: key, type: raw) }
    return type
  }

  private static func readArray(
    _ key: String, _ cursor: inout ByteCursor, _ file: MappedFile
  ) throws(GGUFError.Reason) -> GGUFValue {
    let bytes = file.bytes.bytes
    let type = try readType(key, &cursor, bytes)
    let count = try cursor.read(UInt64.self, "length of \(key)", in: bytes)
    if type == .array { throw .nestedArray(key: key) }
    if type == .string { return .strings(try readStrings(key, count, &cursor, file)) }
    let (size, overflow) = count.multipliedReportingOverflow(by: UInt64(type.fixedSize))
    let range = try cursor.skip(overflow ? .max : size, key, in: bytes)
    return .array(type, count: Int(count), bytes: ByteRegion(file, range))
  }

  /// Checks the length of every string and records its start, in one pass.
  private static func readStrings(
    _ key: String, _ count: UInt64, _ cursor: inout ByteCursor, _ file: MappedFile
  ) throws(GGUFError.Reason) -> GGUFStrings {
    let bytes = file.bytes.bytes
    // Every string takes at least its length field, which bounds the count.
    let available = bytes.byteCount - cursor.offset
    guard count <= UInt64(available / GGUFStrings.lengthBytes) else {
      throw .truncated(
        what: key, offset: cursor.offset, needed: count.multipliedReportingOverflow(by: 8).partialValue,
        available: available)
    }
    // The zeros of a sparse file read as empty strings.
    guard count <= UInt64(maximumStrings) else {
      throw .tooMany(what: "strings in \(key)", count: count, limit: maximumStrings)
    }
    let first = cursor.offset
    var end = first
    let starts = [UInt32](unsafeUninitializedCapacity: Int(count) + 1) { starts, initialized in
      // Each length must be read before the next string is found: this loop is the critical path of loading.
      while initialized < Int(count), bytes.byteCount - end >= GGUFStrings.lengthBytes {
        let length = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self))
        guard length <= UInt64(bytes.byteCount - end - GGUFStrings.lengthBytes) else { break }
        starts[initialized] = UInt32(truncatingIfNeeded: end - first + GGUFStrings.lengthBytes)
        end += GGUFStrings.lengthBytes + Int(length)
        initialized += 1
      }
      starts[initialized] = UInt32(truncatingIfNeeded: end - first + GGUFStrings.lengthBytes)
      initialized += 1
    }
    let range = try cursor.skip(UInt64(end - first), key, in: bytes)
    if starts.count <= Int(count) {
      // Reads the first string that does not fit again, for its error.
      let length = try cursor.read(UInt64.self, "length of a string of \(key)", in: bytes)
      _ = try cursor.skip(length, "string of \(key)", in: bytes)
    }
    guard range.count <= GGUFStrings.maximumByteCount else {
      throw .tooMany(what: "bytes in \(key)", count: UInt64(range.count), limit: GGUFStrings.maximumByteCount)
    }
    return GGUFStrings(validated: ByteRegion(file, range), starts: starts)
  }
}

extension GGUFValueType {
  /// Bytes of one value; 0 where the size varies.
  var fixedSize: Int {
    switch self {
    case .uint8, .int8, .bool: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64: 8
    case .string, .array: 0
    }
  }
}
