/// A strict reader of JSON (RFC 8259): keys given twice, lone surrogates, deep nesting and text after the value are
/// errors. Members keep their order.
package struct JSONReader {
  /// What an object may do with a key that it has already.
  package enum RepeatedKeys: Sendable {
    case refused
    /// The later value takes the place of the earlier one.
    case lastWins
  }

  private let bytes: [UInt8]
  private let nesting: Int
  private let repeatedKeys: RepeatedKeys
  /// Values that may still be read.
  private var valuesLeft: Int
  var offset = 0
  private var depth = 0

  package static func read(_ bytes: [UInt8], limits: GrammarLimits) throws(GrammarError) -> JSONValue {
    guard bytes.count <= limits.sourceBytes else { throw .tooLarge(.sourceBytes, limit: limits.sourceBytes) }
    return try read(bytes, nesting: limits.nesting)
  }

  /// - Parameters:
  ///   - nesting: how deep values may nest; each level takes some hundred bytes of the stack.
  ///   - values: how many there may be; each takes some hundred bytes of memory.
  /// - Throws: `GrammarError.syntax`, `.tooLarge`.
  /// - Complexity: O(bytes)
  package static func read(
    _ bytes: [UInt8], nesting: Int, values: Int = .max, repeatedKeys: RepeatedKeys = .refused
  ) throws(GrammarError) -> JSONValue {
    var reader = JSONReader(bytes: bytes, nesting: nesting, values: values, repeatedKeys: repeatedKeys)
    if String(validating: bytes, as: UTF8.self) == nil {
      reader.offset = Self.invalidOffset(in: bytes)
      throw reader.error("the text is not UTF-8")
    }
    let value = try reader.value()
    reader.skipSpace()
    guard reader.offset == bytes.count else { throw reader.error("text after the value") }
    return value
  }

  /// Where the first sequence begins that is no UTF-8.
  private static func invalidOffset(in bytes: [UInt8]) -> Int {
    var (iterator, decoder) = (bytes.makeIterator(), UTF8())
    var offset = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { offset += UTF8.width(scalar) }
    return offset
  }

  init(bytes: [UInt8], nesting: Int, values: Int = .max, repeatedKeys: RepeatedKeys = .refused) {
    self.bytes = bytes
    self.nesting = nesting
    self.repeatedKeys = repeatedKeys
    valuesLeft = values
  }

  private func error(_ problem: String) -> GrammarError {
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

  private mutating func skip(word: StaticString) -> Bool {
    let wanted = word.withUTF8Buffer { Array($0) }
    guard bytes[offset...].starts(with: wanted) else { return false }
    offset += wanted.count
    return true
  }

  mutating func value() throws(GrammarError) -> JSONValue {
    skipSpace()
    guard valuesLeft > 0 else { throw error("more values than are read") }
    valuesLeft -= 1
    switch next {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    default:
      if let byte = next, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) { return .number(try number()) }
      if skip(word: "null") { return .null }
      if skip(word: "true") { return .bool(true) }
      if skip(word: "false") { return .bool(false) }
      throw error("expected a JSON value")
    }
  }

  private mutating func enter() throws(GrammarError) {
    depth += 1
    guard depth <= nesting else { throw .tooLarge(.nesting, limit: nesting) }
    offset += 1
    skipSpace()
  }

  private mutating func object() throws(GrammarError) -> JSONObject {
    try enter()
    defer { depth -= 1 }
    var object = JSONObject()
    if skip(UInt8(ascii: "}")) { return object }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("expected a key") }
      let start = offset
      let key = try string()
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw error("expected : after a key") }
      let member = try value()
      switch repeatedKeys {
      case .lastWins: object.set(key, member)
      case .refused:
        guard object.insert(key, member) else {
          offset = start
          throw error("a key is given twice")
        }
      }
      skipSpace()
      if skip(UInt8(ascii: "}")) { return object }
      guard skip(UInt8(ascii: ",")) else { throw error("expected , or } in an object") }
    }
  }

  private mutating func array() throws(GrammarError) -> [JSONValue] {
    try enter()
    defer { depth -= 1 }
    var elements: [JSONValue] = []
    if skip(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try value())
      skipSpace()
      if skip(UInt8(ascii: "]")) { return elements }
      guard skip(UInt8(ascii: ",")) else { throw error("expected , or ] in an array") }
    }
  }

  private mutating func number() throws(GrammarError) -> [UInt8] {
    let start = offset
    _ = skip(UInt8(ascii: "-"))
    if !skip(0x30) { try digits() }
    if skip(UInt8(ascii: ".")) { try digits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits()
    }
    if let byte = next, (0x30...0x39).contains(byte) { throw error("a number begins with 0") }
    return Array(bytes[start..<offset])
  }

  private mutating func digits() throws(GrammarError) {
    let start = offset
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
    guard offset > start else { throw error("expected a digit") }
  }

  mutating func string() throws(GrammarError) -> [UInt8] {
    offset += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return text
      case UInt8(ascii: "\\"): text += CodePoints.encoded(try escape())
      case 0..<0x20: throw error("a control character in a string")
      default:
        text.append(byte)
        offset += 1
      }
    }
    throw error("a string is not closed")
  }

  private mutating func escape() throws(GrammarError) -> UInt32 {
    offset += 1
    guard let letter = next else { throw error("a string is not closed") }
    offset += 1
    switch letter {
    case 0x22, 0x2F, 0x5C: return UInt32(letter)
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      guard (0xD800...0xDFFF).contains(unit) else { return unit }
      guard unit < 0xDC00, skip(word: "\\u") else { throw error("half of a surrogate pair") }
      let low = try hexadecimal()
      guard (0xDC00...0xDFFF).contains(low) else { throw error("half of a surrogate pair") }
      return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    default: throw error("unknown escape")
    }
  }

  private mutating func hexadecimal() throws(GrammarError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Hexadecimal.value(byte) else { throw error("expected 4 hexadecimal digits") }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}
