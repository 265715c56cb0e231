// SPDX-License-Identifier: Apache-2.0
/// A strict pull reader of JSON (RFC 8259) for texts that strangers made.
///
/// Errors are: bytes that are not UTF-8, a key given twice, lone surrogates, text after the value, and more bytes, levels
/// or values than the limits. Nothing is built but what the caller asks for; ``JSONValue/init(parsing:limits:repeatedKeys:)``
/// builds the whole.
package struct JSONReader {
  package enum Kind: Sendable { case object, array, string, number, bool, null }

  let bytes: [UInt8]
  let nesting: Int
  let values: Int
  private var valuesLeft: Int
  private var depth = 0
  /// Where the next byte is read.
  var offset = 0

  /// - Throws: ``JSONError``: too many bytes, or bytes that are not UTF-8.
  /// - Complexity: O(bytes)
  package init(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) {
    guard bytes.count <= limits.bytes else { throw .tooLarge(.bytes, limit: limits.bytes) }
    self.init(unchecked: bytes, nesting: limits.nesting, values: limits.values)
    if String(validating: bytes, as: UTF8.self) == nil {
      offset = Self.invalidOffset(in: bytes)
      throw error("the text is not UTF-8")
    }
  }

  /// - Parameter bytes: UTF-8.
  init(unchecked bytes: [UInt8], nesting: Int = .max, values: Int = .max) {
    self.bytes = bytes
    self.nesting = nesting
    self.values = values
    valuesLeft = values
  }

  /// Where the first sequence begins that is no UTF-8.
  private static func invalidOffset(in bytes: [UInt8]) -> Int {
    var (iterator, decoder) = (bytes.makeIterator(), UTF8())
    var offset = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { offset += UTF8.width(scalar) }
    return offset
  }

  /// An error at the place that is read next.
  package func error(_ problem: String) -> JSONError { error(problem, at: offset) }

  func error(_ problem: String, at offset: Int) -> JSONError {
    let (line, column) = TextPlace.of(offset, in: bytes)
    return .syntax(line: line, column: column, problem: problem)
  }

  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
  }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    offset += 1
    return true
  }

  mutating func skip(word: StaticString) -> Bool {
    let end = offset + word.utf8CodeUnitCount
    guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[offset..<end]) }) else { return false }
    offset = end
    return true
  }

  /// The kind of the value that comes next.
  package mutating func kind() throws(JSONError) -> Kind {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), .some(0x30...0x39): return .number
    default: throw error("expected a JSON value")
    }
  }

  /// Counts a value, and checks its kind.
  mutating func begin(_ wanted: Kind, _ name: StaticString) throws(JSONError) {
    guard try kind() == wanted else { throw error("expected \(name)") }
    guard valuesLeft > 0 else { throw .tooLarge(.values, limit: values) }
    valuesLeft -= 1
  }

  mutating func open() throws(JSONError) {
    depth += 1
    guard depth <= nesting else { throw .tooLarge(.nesting, limit: nesting) }
    offset += 1
  }

  /// Whether the bracket closes what was opened.
  mutating func close(_ bracket: UInt8) -> Bool {
    guard skip(bracket) else { return false }
    depth -= 1
    return true
  }

  /// Checks that nothing but white space is left.
  package mutating func end() throws(JSONError) {
    skipSpace()
    guard offset == bytes.count else { throw error("text after the value") }
  }
}
