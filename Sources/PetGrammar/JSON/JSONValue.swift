/// A JSON value in memory. Texts are bytes of UTF-8: `String` takes different spellings of an accent for one, JSON does
/// not.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// As written.
  case number([UInt8])
  case string([UInt8])
  case array([JSONValue])
  case object(JSONObject)

  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var string: [UInt8]? {
    if case .string(let text) = self { text } else { nil }
  }

  /// Compact JSON: no white space, strings in their canonical spelling, numbers as they were written.
  package var compact: [UInt8] {
    switch self {
    case .null: return Array("null".utf8)
    case .bool(let value): return Array((value ? "true" : "false").utf8)
    case .number(let text): return text
    case .string(let text): return JSONSpelling.quoted(text)
    case .array(let elements): return Self.enclosed(0x5B, elements.map(\.compact), 0x5D)
    case .object(let object):
      return Self.enclosed(0x7B, object.members.map { JSONSpelling.quoted($0.key) + [0x3A] + $0.value.compact }, 0x7D)
    }
  }

  private static func enclosed(_ open: UInt8, _ parts: [[UInt8]], _ close: UInt8) -> [UInt8] {
    [open] + Array(parts.joined(separator: [0x2C])) + [close]
  }
}

extension JSONValue: Hashable {
  /// As the schema specification has it: numbers are compared by value.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b || (Decimal(a).map { $0 == Decimal(b) } ?? false)
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let text): if let number = Decimal(text) { hasher.combine(number) } else { hasher.combine(text) }
    case .string(let text): hasher.combine(text)
    case .array(let elements): hasher.combine(elements)
    case .object(let object):
      // Their order does not matter.
      var members = 0
      for (key, value) in object.members {
        var member = Hasher()
        member.combine(key)
        member.combine(value)
        members ^= member.finalize()
      }
      hasher.combine(members)
    }
  }
}

/// The members of a JSON object, in their order; each key occurs once.
package struct JSONObject: Sendable {
  package private(set) var members: [(key: [UInt8], value: JSONValue)] = []
  private var indices: [[UInt8]: Int] = [:]

  package init() {}

  package subscript(key: [UInt8]) -> JSONValue? { indices[key].map { members[$0].value } }

  package subscript(key: StaticString) -> JSONValue? { self[key.withUTF8Buffer { Array($0) }] }

  /// Whether the key was not there yet.
  package mutating func insert(_ key: [UInt8], _ value: JSONValue) -> Bool {
    guard indices[key] == nil else { return false }
    indices[key] = members.count
    members.append((key, value))
    return true
  }

  /// Gives a key another value in its place; a new key comes last.
  package mutating func set(_ key: [UInt8], _ value: JSONValue) {
    if let index = indices[key] { members[index].value = value } else { _ = insert(key, value) }
  }

  /// O(members)
  package mutating func remove(_ key: [UInt8]) {
    guard let index = indices.removeValue(forKey: key) else { return }
    members.remove(at: index)
    for later in index..<members.count { indices[members[later].key] = later }
  }
}

extension JSONObject: Equatable {
  /// As the schema specification has it: the order of members does not matter.
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.count == right.members.count && left.members.allSatisfy { right[$0.key] == $0.value }
  }
}
