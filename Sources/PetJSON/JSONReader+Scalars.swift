// SPDX-License-Identifier: Apache-2.0
extension JSONReader {
  package mutating func bool() throws(JSONError) -> Bool {
    try begin(.bool, "true or false")
    if skip(word: "true") { return true }
    if skip(word: "false") { return false }
    throw error("expected a JSON value")
  }

  package mutating func null() throws(JSONError) {
    try begin(.null, "null")
    guard skip(word: "null") else { throw error("expected a JSON value") }
  }

  /// A number as it is written: nothing is rounded.
  package mutating func number() throws(JSONError) -> [UInt8] {
    try begin(.number, "a number")
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

  private mutating func digits() throws(JSONError) {
    let start = offset
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
    guard offset > start else { throw error("expected a digit") }
  }

  /// A number without fraction and exponent that fits `Int`.
  package mutating func integer() throws(JSONError) -> Int {
    skipSpace()
    let start = offset
    guard let value = Int(String(decoding: try number(), as: UTF8.self)) else {
      throw error("expected a whole number of 64 bits", at: start)
    }
    return value
  }

  /// A string as UTF-8.
  package mutating func string() throws(JSONError) -> [UInt8] {
    try begin(.string, "a string")
    return try quoted()
  }

  package mutating func text() throws(JSONError) -> String { String(decoding: try string(), as: UTF8.self) }

  /// A string or a key, from its opening quotation mark on.
  mutating func quoted() throws(JSONError) -> [UInt8] {
    offset += 1
    var text: [UInt8] = []
    var plain = offset
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        text += bytes[plain..<offset]
        offset += 1
        return text
      case UInt8(ascii: "\\"):
        text += bytes[plain..<offset]
        text += UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter
        plain = offset
      case 0..<0x20: throw error("a control character in a string")
      default: offset += 1
      }
    }
    throw error("a string is not closed")
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    offset += 1
    guard let letter = next else { throw error("a string is not closed") }
    offset += 1
    switch letter {
    case 0x22, 0x2F, 0x5C: return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      var point = try hexadecimal()
      if (0xD800..<0xDC00).contains(point), skip(word: "\\u") {
        let low = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(low) else { throw error("half of a surrogate pair") }
        point = 0x10000 + (point - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(point) else { throw error("half of a surrogate pair") }
      return scalar
    default: throw error("unknown escape")
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Hexadecimal.value(byte) else { throw error("expected 4 hexadecimal digits") }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}
