// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// Which keywords there are, and how their values are read.
enum SchemaKeywords {
  /// Said about a value, not asked of it; and places to keep subschemas.
  private static let annotations: Set<String> = [
    "title", "description", "default", "example", "examples", "$comment", "deprecated", "readOnly", "writeOnly",
    "$schema",
    "$defs",
    "definitions", "$vocabulary", "$anchor", "contentEncoding", "contentMediaType", "contentSchema",
  ]
  private static let enforced: Set<String> = [
    "type", "enum", "const", "$ref", "allOf", "anyOf", "oneOf", "properties", "required", "additionalProperties",
    "items",
    "prefixItems", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum",
  ]
  /// Keywords that ask for nothing when they have this value.
  private static let idle: [String: JSONValue] = [
    "uniqueItems": .bool(false), "minProperties": .number([0x30]), "unevaluatedProperties": .bool(true),
    "unevaluatedItems": .bool(true), "propertyNames": .bool(true), "nullable": .bool(false),
  ]

  /// - Throws: `unsupported` where the schema uses a keyword that is not enforced.
  static func check(_ object: JSONObject, at pointer: String) throws(GrammarError) {
    for (key, value) in object.members where !isKnown(key, value, isRoot: pointer.isEmpty) {
      throw .unsupported(
        keyword: String(decoding: key, as: UTF8.self), pointer: pointer, reason: "the keyword is not supported")
    }
  }

  /// Whether a keyword with this value is enforced, or asks for nothing.
  static func isKnown(_ key: [UInt8], _ value: JSONValue, isRoot: Bool) -> Bool {
    let keyword = String(decoding: key, as: UTF8.self)
    return annotations.contains(keyword) || enforced.contains(keyword) || idle[keyword] == value
      || keyword.hasPrefix("x-") || keyword == "$id" && isRoot
  }
}

extension SchemaDocument.Node {
  var object: JSONObject? { value.object }

  func error(_ keyword: String, _ problem: String) -> GrammarError {
    .invalidKeyword(keyword: keyword, pointer: pointer, problem: problem)
  }

  func value(_ keyword: StaticString) -> JSONValue? { object?[keyword] }

  /// A number from 0 on, where the keyword is there.
  func count(_ keyword: StaticString, limits: GrammarLimits) throws(GrammarError) -> Int? {
    guard let value = value(keyword) else { return nil }
    guard case .number(let text) = value, let number = Decimal(text), number.isInteger, !number.isNegative else {
      throw error("\(keyword)", "not a whole number from 0 on")
    }
    guard let count = number.truncated, count <= Int64(limits.repetitions) else {
      throw .tooLarge(.repetitions, limit: limits.repetitions)
    }
    return Int(count)
  }

  func number(_ keyword: StaticString) throws(GrammarError) -> Decimal? {
    guard let value = value(keyword) else { return nil }
    guard case .number(let text) = value else { throw error("\(keyword)", "not a number") }
    guard let number = Decimal(text) else {
      throw .unsupported(keyword: "\(keyword)", pointer: pointer, reason: "the number has too many digits")
    }
    return number
  }

  func array(_ keyword: StaticString) throws(GrammarError) -> [JSONValue]? {
    guard let value = value(keyword) else { return nil }
    guard let array = value.array else { throw error("\(keyword)", "not an array") }
    return array
  }

  func members(_ keyword: StaticString) throws(GrammarError) -> JSONObject? {
    guard let value = value(keyword) else { return nil }
    guard let object = value.object else { throw error("\(keyword)", "not an object") }
    return object
  }

  func text(_ keyword: StaticString) throws(GrammarError) -> [UInt8]? {
    guard let value = value(keyword) else { return nil }
    guard let text = value.string else { throw error("\(keyword)", "not a string") }
    return text
  }

  /// The keys of `required`.
  func required() throws(GrammarError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for value in try array("required") ?? [] {
      guard let key = value.string else { throw error("required", "not an array of strings") }
      keys.append(key)
    }
    return keys
  }

  /// How many values `values` looks at.
  var valueCount: Int { value("enum")?.array?.count ?? 1 }

  /// The values that `enum` and `const` allow; nil where there is neither.
  func values() throws(GrammarError) -> [JSONValue]? {
    let listed = try array("enum")
    guard let constant = value("const") else { return listed }
    return [constant].filter { listed?.contains($0) ?? true }
  }

  /// The types of `type`; all where it is not there.
  func types() throws(GrammarError) -> SchemaTypes {
    guard let value = value("type") else { return .all }
    var types: SchemaTypes = []
    for name in value.array ?? [value] {
      guard let text = name.string, let type = SchemaTypes(name: text) else { throw error("type", "no type's name") }
      types.formUnion(type)
    }
    return types
  }
}

/// A set of JSON types. `number` holds `integer` too.
struct SchemaTypes: OptionSet, Sendable {
  var rawValue: UInt8

  static let null = SchemaTypes(rawValue: 1)
  static let boolean = SchemaTypes(rawValue: 2)
  static let integer = SchemaTypes(rawValue: 4)
  static let fraction = SchemaTypes(rawValue: 8)
  static let number: SchemaTypes = [.integer, .fraction]
  static let string = SchemaTypes(rawValue: 16)
  static let array = SchemaTypes(rawValue: 32)
  static let object = SchemaTypes(rawValue: 64)
  static let all = SchemaTypes(rawValue: 127)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init?(name: [UInt8]) {
    switch String(decoding: name, as: UTF8.self) {
    case "null": self = .null
    case "boolean": self = .boolean
    case "integer": self = .integer
    case "number": self = .number
    case "string": self = .string
    case "array": self = .array
    case "object": self = .object
    default: return nil
    }
  }

  /// The type of a value.
  init(of value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool: self = .boolean
    case .number(let text): self = Decimal(text)?.isInteger ?? false ? .integer : .fraction
    case .string: self = .string
    case .array: self = .array
    case .object: self = .object
    }
  }
}
