// SPDX-License-Identifier: Apache-2.0
import PetEngine
import PetJSON
import PetText

/// Decodes from JSON that was read in its order, and notes which members were asked for.
struct JSONValueDecoder: Decoder {
  let value: JSONValue
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  fileprivate let fields: ReadFields

  init(_ value: JSONValue) { self.init(value, [], ReadFields()) }

  fileprivate init(_ value: JSONValue, _ path: [any CodingKey], _ fields: ReadFields) {
    self.value = value
    codingPath = path
    self.fields = fields
  }

  /// Members that are not null and that nobody asked for, as in "messages[0].name".
  var unreadFields: [String] { fields.unread(of: value, at: "") }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = value else { throw mismatch([String: JSONValue].self) }
    fields.isLookedInto = true
    return KeyedDecodingContainer(Members(object: object, decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
    fields.isLookedInto = true
    return Elements(elements: elements, decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  /// The value as it stands.
  func whole() -> JSONValue {
    fields.isLookedInto = false
    return value
  }

  /// - Parameter step: a key may be a number, and is no place in a list then.
  fileprivate func child(_ value: JSONValue, _ key: any CodingKey, _ step: JSONStep) -> JSONValueDecoder {
    JSONValueDecoder(value, codingPath + [key], fields.child(step))
  }

  fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "another type")
    return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  fileprivate var isNull: Bool { if case .null = value { true } else { false } }

  fileprivate func bool() throws -> Bool {
    guard case .bool(let bool) = value else { throw mismatch(Bool.self) }
    return bool
  }

  fileprivate func string() throws -> String {
    guard case .string(let bytes) = value else { throw mismatch(String.self) }
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate func double() throws -> Double {
    guard case .number(let text) = value, let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite
    else { throw mismatch(Double.self) }
    return number
  }

  /// A whole number, however it is written: 1.0 and 1e3 are some.
  fileprivate func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
    guard case .number(let text) = value else { throw mismatch(type) }
    if let value = Value(String(decoding: text, as: UTF8.self)) { return value }
    // Beyond 2^53 numbers of other forms are not exact: the neighbour of one is taken for it.
    let number = try double()
    guard abs(number) <= 0x1p53, let value = Value(exactly: number) else { throw mismatch(type) }
    return value
  }

  fileprivate func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // The standard library's own decoding of numbers and strings comes back here, to the container of one value.
    try Value(from: self)
  }
}

extension JSONValue: Decodable {
  /// Only of what was read with ``JSON/decode(_:_:)``: others do not keep the order of members.
  package init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? JSONValueDecoder else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "the order of members is not known"))
    }
    self = decoder.whole()
  }
}

/// Which parts of a value were asked for.
private final class ReadFields {
  /// Whether its members were asked for one by one; else it was taken whole.
  var isLookedInto = false
  private var members: [String: ReadFields] = [:]
  private var elements: [Int: ReadFields] = [:]

  func child(_ step: JSONStep) -> ReadFields {
    switch step {
    case .key(let key):
      if let known = members[key] { return known }
      let child = ReadFields()
      members[key] = child
      return child
    case .index(let index):
      if let known = elements[index] { return known }
      let child = ReadFields()
      elements[index] = child
      return child
    }
  }

  func unread(of value: JSONValue, at place: String) -> [String] {
    guard isLookedInto else { return [] }
    switch value {
    case .object(let object):
      return object.members.flatMap { key, value -> [String] in
        let name = String(decoding: key, as: UTF8.self)
        let place = place.isEmpty ? name : "\(place).\(name)"
        if let fields = members[name] { return fields.unread(of: value, at: place) }
        // To leave it out means the same.
        if case .null = value { return [] }
        return [place.oneLine]
      }
    case .array(let elements):
      return elements.enumerated().flatMap { index, value in
        self.elements[index]?.unread(of: value, at: "\(place)[\(index)]") ?? []
      }
    default: return []
    }
  }
}

/// A key of the decoder's own: a place in a list.
private struct PlaceKey: CodingKey {
  let intValue: Int?
  var stringValue: String { intValue.map { "\($0)" } ?? "" }

  init(_ index: Int) { intValue = index }
  init?(intValue: Int) { self.init(intValue) }
  init?(stringValue: String) { nil }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: JSONObject
  let decoder: JSONValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { object.members.compactMap { Key(stringValue: String(decoding: $0.key, as: UTF8.self)) } }

  private func find(_ key: Key) -> JSONValueDecoder? {
    guard let value = object[Array(key.stringValue.utf8)] else { return nil }
    return decoder.child(value, key, .key(key.stringValue))
  }

  private func member(_ key: Key) throws -> JSONValueDecoder {
    guard let member = find(key) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
    }
    return member
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).double() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try member(key).double()) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).integer(type) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct Elements: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let decoder: JSONValueDecoder
  private(set) var currentIndex = 0

  init(elements: [JSONValue], decoder: JSONValueDecoder) {
    self.elements = elements
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private func next(_ type: Any.Type) throws -> JSONValueDecoder {
    let key = PlaceKey(currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: codingPath + [key], debugDescription: "the list is shorter"))
    }
    return decoder.child(elements[currentIndex], key, .index(currentIndex))
  }

  /// Goes on only over what could be decoded.
  private mutating func take<Value>(_ read: (JSONValueDecoder) throws -> Value) throws -> Value {
    let value = try read(try next(Value.self))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    let isNull = try next(Never.self).isNull
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.bool() } }
  mutating func decode(_ type: String.Type) throws -> String { try take { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try take { Float(try $0.double()) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.integer(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.integer(type) } }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try take { try $0.decode(type) } }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try take { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try take { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try take { $0 } }
}

private struct Single: SingleValueDecodingContainer {
  let decoder: JSONValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
  func decode(_ type: String.Type) throws -> String { try decoder.string() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
  func decode(_ type: Float.Type) throws -> Float { Float(try decoder.double()) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
