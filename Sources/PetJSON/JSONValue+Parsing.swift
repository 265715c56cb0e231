// SPDX-License-Identifier: Apache-2.0
extension JSONValue {
  /// What an object may do with a key that it has already.
  package enum RepeatedKeys: Sendable {
    case refused
    /// The later value takes the place of the earlier one.
    case lastWins
  }

  /// Reads a text that is one JSON value.
  /// - Parameter bytes: UTF-8.
  /// - Throws: ``JSONError``.
  /// - Complexity: O(bytes)
  package init(
    parsing bytes: [UInt8], limits: JSONLimits, repeatedKeys: RepeatedKeys = .refused
  ) throws(JSONError) {
    var reader = try JSONReader(bytes, limits: limits)
    self = try reader.value(repeatedKeys)
    try reader.end()
  }
}

extension JSONReader {
  /// Reads a value of any kind, with all that is in it.
  package mutating func value(_ repeatedKeys: JSONValue.RepeatedKeys = .refused) throws(JSONError) -> JSONValue {
    switch try kind() {
    case .object: return .object(try object(repeatedKeys))
    case .array:
      var elements: [JSONValue] = []
      var read = try beginArray()
      while try nextElement(&read) { elements.append(try value(repeatedKeys)) }
      return .array(elements)
    case .string: return .string(try string())
    case .number: return .number(try number())
    case .bool: return .bool(try bool())
    case .null:
      try null()
      return .null
    }
  }

  private mutating func object(_ repeatedKeys: JSONValue.RepeatedKeys) throws(JSONError) -> JSONObject {
    // The object itself knows its keys.
    _ = try beginObject()
    var object = JSONObject()
    while let (key, start) = try nextKey(isFirst: object.members.isEmpty) {
      let member = try value(repeatedKeys)
      switch repeatedKeys {
      case .lastWins: object.set(key, member)
      case .refused: guard object.insert(key, member) else { throw error(Self.repeatedKey, at: start) }
      }
    }
    return object
  }
}
