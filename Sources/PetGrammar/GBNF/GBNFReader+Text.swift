// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension GBNFReader {
  func error(_ problem: String) -> GrammarError {
    let (line, column) = place(offset)
    return .syntax(line: line, column: column, problem: problem)
  }

  func place(_ offset: Int) -> (line: Int, column: Int) { TextPlace.of(offset, in: bytes) }

  func describe(_ offset: Int) -> String {
    let (line, column) = place(offset)
    return "line \(line), column \(column)"
  }

  static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39, 0x2D, 0x5F: true
    default: false
    }
  }

  mutating func name() throws(GrammarError) -> String {
    let start = offset
    while offset < bytes.count, Self.isName(bytes[offset]) { offset += 1 }
    guard offset > start else { throw error("expected the name of a rule") }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  mutating func skip(_ text: StaticString) -> Bool {
    let wanted = text.withUTF8Buffer { Array($0) }
    guard bytes[offset...].starts(with: wanted) else { return false }
    offset += wanted.count
    return true
  }

  mutating func skipSpace(overLines: Bool) {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09: offset += 1
      case 0x0A, 0x0D:
        guard overLines else { return }
        offset += 1
      case UInt8(ascii: "#"):
        while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
      default: return
      }
    }
  }

  /// `*`, `+`, `?`, `{m}`, `{m,}` or `{m,n}`.
  mutating func repetition() throws(GrammarError) -> (least: Int, most: Int?) {
    let sign = bytes[offset]
    offset += 1
    switch sign {
    case UInt8(ascii: "*"): return (0, nil)
    case UInt8(ascii: "+"): return (1, nil)
    case UInt8(ascii: "?"): return (0, 1)
    default: break
    }
    skipSpace(overLines: true)
    let least = try count()
    skipSpace(overLines: true)
    if skip("}") { return (least, least) }
    guard skip(",") else { throw error("expected , or } in a repetition") }
    skipSpace(overLines: true)
    if skip("}") { return (least, nil) }
    let most = try count()
    skipSpace(overLines: true)
    guard skip("}") else { throw error("expected } after a repetition") }
    guard least <= most else { throw error("the repetition's bounds are in the wrong order") }
    return (least, most)
  }

  private mutating func count() throws(GrammarError) -> Int {
    let start = offset
    var value = 0
    while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
      value = value * 10 + Int(bytes[offset] - 0x30)
      guard value <= limits.repetitions else { throw .tooLarge(.repetitions, limit: limits.repetitions) }
      offset += 1
    }
    guard offset > start else { throw error("expected a number of repetitions") }
    return value
  }

  mutating func literal() throws(GrammarError) -> [UInt8] {
    let start = offset
    offset += 1
    var text: [UInt8] = []
    while offset < bytes.count {
      guard bytes[offset] != UInt8(ascii: "\"") else {
        offset += 1
        return text
      }
      text += CodePoints.encoded(try character())
    }
    throw error("the \" at \(describe(start)) is not closed")
  }

  mutating func characterClass() throws(GrammarError) -> CodePoints {
    let start = offset
    offset += 1
    let isNegated = skip("^")
    var ranges: [ClosedRange<UInt32>] = []
    while offset < bytes.count {
      if skip("]") {
        let set = CodePoints(ranges)
        return isNegated ? set.inverted : set
      }
      let low = try character()
      // A hyphen before the bracket is itself.
      guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "-"), bytes[offset + 1] != UInt8(ascii: "]") else {
        ranges.append(low...low)
        continue
      }
      offset += 1
      let high = try character()
      guard low <= high else { throw error("the range's bounds are in the wrong order") }
      ranges.append(low...high)
    }
    throw error("the [ at \(describe(start)) is not closed")
  }

  /// One code point, perhaps written as an escape.
  private mutating func character() throws(GrammarError) -> UInt32 {
    guard bytes[offset] == UInt8(ascii: "\\") else { return nextScalar() }
    offset += 1
    guard offset < bytes.count else { throw error("an escape is not finished") }
    let kind = bytes[offset]
    switch kind {
    case UInt8(ascii: "x"): return try hexadecimal(2)
    case UInt8(ascii: "u"): return try hexadecimal(4)
    case UInt8(ascii: "U"): return try hexadecimal(8)
    case UInt8(ascii: "t"): return escaped(0x09)
    case UInt8(ascii: "r"): return escaped(0x0D)
    case UInt8(ascii: "n"): return escaped(0x0A)
    case 0x22, 0x2D, 0x5B...0x5E: return escaped(UInt32(kind))  // " - [ \ ] ^
    default: throw error("unknown escape")
    }
  }

  private mutating func escaped(_ point: UInt32) -> UInt32 {
    offset += 1
    return point
  }

  private mutating func hexadecimal(_ digits: Int) throws(GrammarError) -> UInt32 {
    let start = offset
    offset += 1
    var value: UInt64 = 0
    for _ in 0..<digits {
      guard offset < bytes.count, let digit = Hexadecimal.value(bytes[offset]) else {
        throw error("expected \(digits) hexadecimal digits")
      }
      value = value << 4 | UInt64(digit)
      offset += 1
    }
    guard value <= 0x10FFFF, !(0xD800...0xDFFF).contains(value) else {
      offset = start
      throw error("this escape is no Unicode scalar value")
    }
    return UInt32(value)
  }

  /// The bytes come from a `String`, so they are valid UTF-8.
  private mutating func nextScalar() -> UInt32 {
    let lead = bytes[offset]
    let count = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    var value = count == 1 ? UInt32(lead) : UInt32(lead) & (0x7F >> UInt32(count))
    for byte in bytes[offset..<min(offset + count, bytes.count)].dropFirst() {
      value = value << 6 | UInt32(byte & 0x3F)
    }
    offset = min(offset + count, bytes.count)
    return value
  }
}
