// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A decoder that has nothing to decode: it records what a type asks for at one place of a value, and gives it values of that form.
///
/// A member that the type can do without (`decodeIfPresent`, `contains`) is optional, an `Optional` elsewhere may be null, an
/// array is asked for one element, and a `CaseIterable` enum with raw values is one of these.
///
/// A nested ``Generable``, whose form is known, only needs a value: a blank recorder gives it 0, "", no elements and no optionals.
final class SchemaRecorder {
  /// The first refusal, which a type may have swallowed.
  private final class Log { var refusal: GenerationSchemaError? }

  private enum Form {
    case given(GenerationSchema)
    case array(of: SchemaRecorder)
    case object([(key: String, value: SchemaRecorder)])
  }

  private let root: String
  private let property: String
  private let log: Log
  /// The types that are being decoded here and above.
  private var enclosing: [ObjectIdentifier]
  /// Recorders above.
  private let depth: Int
  private static let mostDepth = 64
  fileprivate let isBlank: Bool
  private var form = Form.object([])
  /// The raw values of the enum that is being decoded.
  private var choices: [Any] = []
  /// Whether it is a raw value without choices that is being decoded: that any will do shows only in one that no enum has.
  private var isRaw = false
  private var isOptional = false
  private var isNullable = false

  init(of root: String) {
    (self.root, property, log, enclosing, depth, isBlank) = (root, "", Log(), [], 0, false)
  }

  private init(_ property: String, in parent: SchemaRecorder) {
    (root, log, enclosing, isBlank) = (parent.root, parent.log, parent.enclosing, parent.isBlank)
    (self.property, depth) = (property, parent.depth + 1)
  }

  private init(blankIn parent: SchemaRecorder) {
    (root, property, log, enclosing) = (parent.root, parent.property, Log(), parent.enclosing)
    (depth, isBlank) = (parent.depth + 1, true)
  }

  // MARK: What was recorded

  /// - Throws: `GenerationSchemaError`.
  func schema() throws(GenerationSchemaError) -> GenerationSchema {
    if let refusal = log.refusal { throw refusal }
    var schema: GenerationSchema
    switch form {
    case .given(let given): schema = given
    case .array(let element): schema = .array(of: try element.schema())
    case .object(let members):
      var schemas: [(String, GenerationSchema)] = []
      for (key, value) in members { schemas.append((key, try value.schema())) }
      schema = .object(members: schemas)
    }
    if isNullable { schema = GenerationSchema(json: #"{"anyOf":[\#(schema.json(in: "anyOf", "0")),{"type":"null"}]}"#) }
    return isOptional ? schema.optional : schema
  }

  fileprivate func refuse(_ reason: GenerationSchemaError.Reason) -> GenerationSchemaError {
    let refusal = log.refusal ?? GenerationSchemaError(type: root, property: property, reason: reason)
    log.refusal = refusal
    return refusal
  }

  // MARK: What a type asks for

  /// A value of the type, whose form is recorded.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let scalar = type as? any JSONScalar.Type { return try value(scalar) }
    if type == Data.self || type == Date.self || type == Decimal.self || type == URL.self { throw refuse(.notJSON) }
    guard try !checked().enclosing.contains(ObjectIdentifier(type)) else { throw refuse(.recursive) }
    enclosing.append(ObjectIdentifier(type))
    defer { enclosing.removeLast() }
    let own = type as? any Generable.Type
    if let own { form = .given(own.schema) }
    let source = own == nil || isBlank ? self : SchemaRecorder(blankIn: self)
    source.choices = (type as? any (CaseIterable & RawRepresentable).Type).map { Self.rawValues(of: $0) } ?? []
    source.isRaw = !source.isBlank && type is any RawRepresentable.Type
    do { return try Value(from: source) } catch { throw refuse(own == nil ? .rejectsValues : .rejectsBlanks) }
  }

  private func value<Value>(_ type: any JSONScalar.Type) throws -> Value {
    let first = choices.first as? Value
    form = .given(first == nil ? type.jsonSchema : Self.schema(of: choices))
    let other: any JSONScalar = isRaw ? type.unlikely : type.init()
    guard let value = first ?? other as? Value else { throw refuse(.rejectsValues) }
    return value
  }

  private static func rawValues<Choice: CaseIterable & RawRepresentable>(of type: Choice.Type) -> [Any] {
    type.allCases.map(\.rawValue)
  }

  private static func schema(of choices: [Any]) -> GenerationSchema {
    let values = choices.map { choice in (choice as? String).map(JSONText.quoted) ?? "\(choice)" }
    return GenerationSchema(json: #"{"enum":[\#(values.joined(separator: ","))]}"#)
  }

  /// The same, unless its type never comes to an end.
  fileprivate func checked() throws -> SchemaRecorder {
    guard depth <= Self.mostDepth else { throw refuse(.recursive) }
    return self
  }

  fileprivate func member(_ key: any CodingKey) -> SchemaRecorder {
    var members = if case .object(let members) = form { members } else { [(key: String, value: SchemaRecorder)]() }
    if let known = members.first(where: { $0.key == key.stringValue }) { return known.value }
    let name = key.stringValue
    let value = SchemaRecorder(property.isEmpty ? name : "\(property).\(name)", in: self)
    members.append((name, value))
    form = .object(members)
    return value
  }

  /// A member that the type can do without.
  fileprivate func optionalMember(_ key: any CodingKey) { member(key).isOptional = true }

  fileprivate func element() -> SchemaRecorder {
    let element = SchemaRecorder("\(property)[]", in: self)
    form = .array(of: element)
    return element
  }
}

extension SchemaRecorder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members<Key>(recorder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(recorder: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SchemaRecorder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    isNullable = true
    return isBlank
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: SchemaRecorder

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    _ = recorder.refuse(.openKeys)
    return []
  }

  func contains(_ key: Key) -> Bool {
    recorder.optionalMember(key)
    return !recorder.isBlank
  }

  func decodeNil(forKey key: Key) -> Bool { recorder.isBlank }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try recorder.member(key).value(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try recorder.member(key).checked().container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try recorder.member(key).checked().unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try recorder.member(SuperKey()).checked() }

  func superDecoder(forKey key: Key) throws -> any Decoder { try recorder.member(key).checked() }
}

private struct SuperKey: CodingKey {
  let stringValue = "super"
  let intValue: Int? = nil

  init() {}
  init?(stringValue: String) {}
  init?(intValue: Int) {}
}

/// An array of one element; a blank one is empty, and who asks all the same is given any number.
private struct Elements: UnkeyedDecodingContainer {
  let recorder: SchemaRecorder
  private let element: SchemaRecorder
  private(set) var currentIndex = 0

  init(recorder: SchemaRecorder) {
    self.recorder = recorder
    element = recorder.element()
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { recorder.isBlank ? 0 : 1 }
  var isAtEnd: Bool { recorder.isBlank || currentIndex > 0 }

  private mutating func next() throws -> SchemaRecorder {
    guard recorder.isBlank || !isAtEnd else { throw recorder.refuse(.mixedElements) }
    currentIndex += 1
    return try element.checked()
  }

  mutating func decodeNil() -> Bool { recorder.isBlank }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().value(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try next() }
}
