// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// The spellings of text inside a JSON string, as parts of a grammar.
extension JSONSpelling {
  /// What must be escaped: the quotation mark, the backslash, and control characters.
  static let escaped = CodePoints([0...0x1F, 0x22...0x22, 0x5C...0x5C])

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

  private static func bytes(_ bytes: [UInt8]) -> ByteRanges { bytes.map { $0...$0 } }

  static let braces = CodePoints([0x7B...0x7B, 0x7D...0x7D])

  /// One code point in any of its spellings. Escaped surrogates come in pairs only.
  static let character = character(as: CodePoints.all.subtracting(escaped))

  /// The same without a brace as it stands.
  static let characterButBraces = character(as: CodePoints.all.subtracting(escaped).subtracting(braces))

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
