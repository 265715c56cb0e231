/// What is wrong with a JSON text, and where.
public struct JSONError: Error, Equatable, Sendable {
  public let offset: Int
  public let problem: String
}

/// A strict pull reader of JSON (RFC 8259) for files that strangers made.
///
/// Stricter than most: a key given twice is an error (two readers could take different ones), nesting is bounded, text
/// after the value is an error. Nothing is built but what the caller asks for.
struct JSONReader {
  /// Files read here nest 4 levels; the bound keeps recursion off the stack's end.
  static let maximumDepth = 32
  /// The largest objects read here are vocabularies of 256,000 pieces.
  static let maximumKeys = 1 << 20

  private let bytes: [UInt8]
  private(set) var offset = 0
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  enum Kind { case object, array, string, number, bool, null }

  func error(_ problem: String) -> JSONError { JSONError(offset: offset, problem: problem) }

  /// The kind of the value that comes next.
  mutating func kind() throws(JSONError) -> Kind {
    skipSpace()
    guard offset < bytes.count else { throw error("the text ends where a value was expected") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw error("expected a value")
    }
  }

  /// Reads an object; `body` is called after each key and must consume that key's value.
  mutating func object(_ body: (inout JSONReader, String) throws -> Void) throws {
    try open("{")
    var keys: Set<[UInt8]> = []
    if !accept("}") {
      repeat {
        skipSpace()
        let start = offset
        let key = try string()
        guard keys.count < Self.maximumKeys else { throw error("more than \(Self.maximumKeys) keys") }
        guard keys.insert(Array(key.utf8)).inserted else {
          throw JSONError(offset: start, problem: "key '\(key.printable)' is given twice")
        }
        try expect(":")
        try body(&self, key)
      } while accept(",")
      try expect("}")
    }
    depth -= 1
  }

  /// Reads an array; `body` is called for each element and must consume it.
  mutating func array(_ body: (inout JSONReader) throws -> Void) throws {
    try open("[")
    if !accept("]") {
      repeat { try body(&self) } while accept(",")
      try expect("]")
    }
    depth -= 1
  }

  /// Reads a value of any kind and forgets it.
  mutating func skip() throws {
    switch try kind() {
    case .object: try object { reader, _ in try reader.skip() }
    case .array: try array { reader in try reader.skip() }
    case .string: _ = try string()
    case .number: _ = try number()
    case .bool: _ = try bool()
    case .null: try null()
    }
  }

  /// Checks that nothing but white space is left.
  mutating func end() throws(JSONError) {
    skipSpace()
    if offset != bytes.count { throw error("text after the end of the value") }
  }

  mutating func bool() throws(JSONError) -> Bool {
    if word("true") { return true }
    if word("false") { return false }
    throw error("expected true or false")
  }

  mutating func null() throws(JSONError) {
    guard word("null") else { throw error("expected null") }
  }

  /// The text of a number, its form checked.
  mutating func number() throws(JSONError) -> String {
    skipSpace()
    let start = offset
    if peek == UInt8(ascii: "-") { offset += 1 }
    let isZero = peek == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits > 0, !(isZero && digits > 1) else { throw error("malformed number") }
    if peek == UInt8(ascii: ".") {
      offset += 1
      guard skipDigits() > 0 else { throw error("malformed number") }
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      offset += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
      guard skipDigits() > 0 else { throw error("malformed number") }
    }
    guard offset - start <= 64 else { throw error("number of more than 64 characters") }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// A number without fraction that fits `Int`.
  mutating func integer() throws(JSONError) -> Int {
    skipSpace()
    let start = offset
    let text = try number()
    guard let value = Int(text) else {
      throw JSONError(offset: start, problem: "'\(text)' is not an integer of 64 bits")
    }
    return value
  }
}

extension JSONReader {
  mutating func string() throws(JSONError) -> String {
    skipSpace()
    guard peek == UInt8(ascii: "\"") else { throw error("expected a string") }
    offset += 1
    let start = offset
    var text: [UInt8] = []
    var plainStart = offset
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        text += bytes[plainStart..<offset]
        offset += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw JSONError(offset: start, problem: "string is not UTF-8")
        }
        return string
      case UInt8(ascii: "\\"):
        text += bytes[plainStart..<offset]
        offset += 1
        text += Array(String(try escape()).utf8)
        plainStart = offset
      case 0..<0x20: throw error("control character in a string")
      default: offset += 1
      }
    }
    throw error("the text ends inside a string")
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    guard let byte = peek else { throw error("the text ends inside a string") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw error("unknown escape")
    }
    var code = try hexadecimal()
    if (0xd800..<0xdc00).contains(code) {
      guard peek == UInt8(ascii: "\\"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "u") else {
        throw error("half a surrogate pair")
      }
      offset += 2
      let low = try hexadecimal()
      guard (0xdc00..<0xe000).contains(low) else { throw error("half a surrogate pair") }
      code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw error("half a surrogate pair") }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw error("malformed \\u escape")
      }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { offset += 1 }
  }

  private mutating func skipDigits() -> Int {
    let start = offset
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    return offset - start
  }

  private mutating func accept(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard let byte = peek, byte == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
    guard accept(character) else { throw error("expected '\(character)'") }
  }

  private mutating func open(_ character: Unicode.Scalar) throws(JSONError) {
    try expect(character)
    depth += 1
    guard depth <= Self.maximumDepth else { throw error("nested deeper than \(Self.maximumDepth) levels") }
  }

  private mutating func word(_ text: StaticString) -> Bool {
    skipSpace()
    let end = offset + text.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    let matches = text.withUTF8Buffer { $0.elementsEqual(bytes[offset..<end]) }
    if matches { offset = end }
    return matches
  }
}
