/// How text is written inside a JSON string (RFC 8259, section 7).
package enum JSONSpelling {
  /// What must be escaped: the quotation mark, the backslash, and control characters.
  static let escaped = CodePoints([0...0x1F, 0x22...0x22, 0x5C...0x5C])
  private static let shortEscapes: [(point: UInt32, letter: UInt8)] = [
    (0x08, 0x62), (0x09, 0x74), (0x0A, 0x6E), (0x0C, 0x66), (0x0D, 0x72), (0x22, 0x22), (0x5C, 0x5C),
  ]

  /// The canonical spellings of the members of a set: themselves where they may be, the short escapes, and `\u00xx` in
  /// lower case for the rest. So each text has one spelling.
  static func canonical(_ points: CodePoints) -> [ByteRanges] {
    var found = points.subtracting(escaped).utf8
    for (point, letter) in shortEscapes where points.contains(point) { found.append(bytes([0x5C, letter])) }
    for point in UInt32(0)...0x1F where points.contains(point) && !shortEscapes.contains(where: { $0.point == point }) {
      found.append(bytes(escape(point)))
    }
    return found
  }

  /// A text as a JSON string in its canonical spelling, quotation marks included.
  package static func quoted(_ text: [UInt8]) -> [UInt8] {
    var spelled: [UInt8] = [0x22]
    for byte in text {
      if let short = shortEscapes.first(where: { $0.point == UInt32(byte) }) {
        spelled += [0x5C, short.letter]
      } else if byte < 0x20 {
        spelled += escape(UInt32(byte))
      } else {
        spelled.append(byte)
      }
    }
    return spelled + [0x22]
  }

  private static func escape(_ point: UInt32) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return Array("\\u00".utf8) + [digits[Int(point >> 4 & 15)], digits[Int(point & 15)]]
  }

  private static func bytes(_ bytes: [UInt8]) -> ByteRanges { bytes.map { $0...$0 } }

  static let brace = CodePoints([0x7B...0x7B])

  /// One code point in any of its spellings. Escaped surrogates come in pairs only.
  static let character = character(as: CodePoints.all.subtracting(escaped))

  /// The same without an opening brace as it stands.
  static let characterButBrace = character(as: CodePoints.all.subtracting(escaped).subtracting(brace))

  /// - Parameter plain: that may stand for themselves.
  private static func character(as plain: CodePoints) -> Expression {
    let hex = Expression.any(of: "0123456789abcdefABCDEF")
    let notSurrogate = Expression.choice([
      .sequence([.any(of: "0123456789abcefABCEF"), hex, hex, hex]),
      .sequence([.any(of: "dD"), .any(of: "01234567"), hex, hex]),
    ])
    let pair = Expression.sequence([
      .any(of: "dD"), .any(of: "89abAB"), hex, hex, .text("\\u"), .any(of: "dD"), .any(of: "cdefCDEF"), hex, hex,
    ])
    return .choice([
      .characters(plain),
      .sequence([
        .text("\\"), .choice([.any(of: "\"\\/bfnrt"), .sequence([.text("u"), .choice([notSurrogate, pair])])]),
      ]),
    ])
  }
}
