extension GGUFParser {
  /// Reads one metadata value after its key.
  static func readValue(
    _ key: String, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(GGUFError.Reason) -> GGUFValue {
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
    case .array: return try readArray(key, &cursor, bytes)
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
    _ key: String, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(GGUFError.Reason) -> GGUFValue {
    let type = try readType(key, &cursor, bytes)
    let count = try cursor.read(UInt64.self, "length of \(key)", in: bytes)
    if type == .array { throw .nestedArray(key: key) }
    if type == .string { return try readStrings(key, count, &cursor, bytes) }
    let (size, overflow) = count.multipliedReportingOverflow(by: UInt64(type.fixedSize))
    let range = try cursor.skip(overflow ? .max : size, key, in: bytes)
    return .array(type, count: Int(count), bytes: bytes.copy(range))
  }

  /// Two passes: where the strings end, then one copy of their bytes, so that a vocabulary of 150,000 pieces costs two
  /// allocations.
  private static func readStrings(
    _ key: String, _ count: UInt64, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(GGUFError.Reason) -> GGUFValue {
    // Every string takes at least its length field: more strings than that cannot be there.
    let available = bytes.byteCount - cursor.offset
    guard count <= UInt64(available / 8) else {
      throw .truncated(
        what: key, offset: cursor.offset, needed: count.multipliedReportingOverflow(by: 8).partialValue,
        available: available)
    }
    let start = cursor
    var offsets = [0]
    offsets.reserveCapacity(Int(count) + 1)
    var total = 0
    for _ in 0..<count {
      let length = try cursor.read(UInt64.self, "length of a string of \(key)", in: bytes)
      total += try cursor.skip(length, "string of \(key)", in: bytes).count
      offsets.append(total)
    }
    cursor = start
    var joined = [UInt8]()
    joined.reserveCapacity(total)
    for index in 0..<Int(count) {
      let length = UInt64(offsets[index + 1] - offsets[index])
      _ = try cursor.skip(8, key, in: bytes)
      let range = try cursor.skip(length, key, in: bytes)
      bytes.extracting(range).withUnsafeBytes { joined.append(contentsOf: $0) }
    }
    return .strings(bytes: joined, offsets: offsets)
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
