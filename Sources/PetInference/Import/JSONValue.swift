/// A JSON value in memory, for configuration files. Keys keep their order; each occurs once.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// The number as written: 10000.0 and 10000 differ in form only, and nothing is rounded before it is used.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  /// A `tokenizer_config.json` with a thousand added tokens has about 10,000 values; each takes tens of bytes here.
  static let maximumCount = 1 << 19

  package init(parsing bytes: [UInt8]) throws {
    var reader = JSONReader(bytes)
    var budget = Self.maximumCount
    self = try Self.read(&reader, &budget)
    try reader.end()
  }

  private static func read(_ reader: inout JSONReader, _ budget: inout Int) throws -> JSONValue {
    budget -= 1
    guard budget >= 0 else { throw reader.error("more than \(maximumCount) values") }
    switch try reader.kind() {
    case .object:
      var members: [(key: String, value: JSONValue)] = []
      try reader.object { members.append(($1, try read(&$0, &budget))) }
      return .object(members)
    case .array:
      var elements: [JSONValue] = []
      try reader.array { elements.append(try read(&$0, &budget)) }
      return .array(elements)
    case .string: return .string(try reader.string())
    case .number: return .number(try reader.number())
    case .bool: return .bool(try reader.bool())
    case .null:
      try reader.null()
      return .null
    }
  }

  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
    default: false
    }
  }

  /// The member `key` of an object; nil when there is none or it is null.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self, let value = members.first(where: { $0.key == key })?.value,
      value != .null
    else { return nil }
    return value
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  var integer: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  var double: Double? {
    guard case .number(let text) = self, let value = Double(text), value.isFinite else { return nil }
    return value
  }

  var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  var members: [(key: String, value: JSONValue)]? {
    if case .object(let members) = self { members } else { nil }
  }
}
