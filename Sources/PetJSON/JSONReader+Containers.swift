// SPDX-License-Identifier: Apache-2.0
extension JSONReader {
  /// The members of an object that is being read.
  package struct Members {
    fileprivate var keys: Set<[UInt8]> = []
    fileprivate var isFirst = true
  }

  /// The elements of an array that is being read.
  package struct Elements {
    fileprivate var isFirst = true
  }

  /// Enters an object. Call ``nextKey(_:)`` until it returns nil, and read one value after each key.
  package mutating func beginObject() throws(JSONError) -> Members {
    try begin(.object, "an object")
    try open()
    return Members()
  }

  /// The next key of the object, or nil past its end.
  /// - Throws: ``JSONError``, also for a key that the object has already.
  package mutating func nextKey(_ members: inout Members) throws(JSONError) -> String? {
    guard let (key, start) = try nextKey(isFirst: members.isFirst) else { return nil }
    members.isFirst = false
    guard members.keys.insert(key).inserted else { throw error(Self.repeatedKey, at: start) }
    return String(decoding: key, as: UTF8.self)
  }

  static let repeatedKey = "a key is given twice"

  /// The key with its place; whether it is there already is the caller's to check.
  mutating func nextKey(isFirst: Bool) throws(JSONError) -> (key: [UInt8], start: Int)? {
    skipSpace()
    if close(UInt8(ascii: "}")) { return nil }
    if !isFirst {
      guard skip(UInt8(ascii: ",")) else { throw error("expected , or } in an object") }
      skipSpace()
    }
    guard next == UInt8(ascii: "\"") else { throw error("expected a key") }
    let start = offset
    let key = try quoted()
    skipSpace()
    guard skip(UInt8(ascii: ":")) else { throw error("expected : after a key") }
    return (key, start)
  }

  /// Enters an array. Read one value each time ``nextElement(_:)`` returns true.
  package mutating func beginArray() throws(JSONError) -> Elements {
    try begin(.array, "an array")
    try open()
    return Elements()
  }

  /// Whether the array has another element.
  package mutating func nextElement(_ elements: inout Elements) throws(JSONError) -> Bool {
    skipSpace()
    if close(UInt8(ascii: "]")) { return false }
    if !elements.isFirst {
      guard skip(UInt8(ascii: ",")) else { throw error("expected , or ] in an array") }
    }
    elements.isFirst = false
    return true
  }

  /// Reads a value of any kind and forgets it.
  package mutating func skipValue() throws(JSONError) {
    switch try kind() {
    case .object:
      var members = try beginObject()
      while try nextKey(&members) != nil { try skipValue() }
    case .array:
      var elements = try beginArray()
      while try nextElement(&elements) { try skipValue() }
    case .string: _ = try string()
    case .number: _ = try number()
    case .bool: _ = try bool()
    case .null: try null()
    }
  }
}
