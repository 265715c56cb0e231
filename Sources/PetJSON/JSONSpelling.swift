// SPDX-License-Identifier: Apache-2.0
/// How text is written inside a JSON string (RFC 8259, section 7).
package enum JSONSpelling {
  package static let shortEscapes: [(point: UInt32, letter: UInt8)] = [
    (0x08, 0x62), (0x09, 0x74), (0x0A, 0x6E), (0x0C, 0x66), (0x0D, 0x72), (0x22, 0x22), (0x5C, 0x5C),
  ]

  /// A text as a JSON string, quotation marks included, in its canonical spelling: short escapes where there are some,
  /// `\u00xx` in lower case for other control characters, all else as it is.
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

  /// `\u00xx`.
  package static func escape(_ point: UInt32) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return Array("\\u00".utf8) + [digits[Int(point >> 4 & 15)], digits[Int(point & 15)]]
  }
}
