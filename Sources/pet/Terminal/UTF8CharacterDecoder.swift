// SPDX-License-Identifier: Apache-2.0
/// Puts the bytes of a keyboard together to characters; what is not UTF-8 becomes U+FFFD.
package struct UTF8CharacterDecoder {
  private var pending: [UInt8] = []
  private var needed = 0

  package init() {}

  /// The character that `byte` completes, or nil while more bytes are needed.
  package mutating func decode(_ byte: UInt8) -> Unicode.Scalar? {
    if pending.isEmpty {
      switch byte {
      case 0..<0x80: return Unicode.Scalar(byte)
      case 0xC2..<0xE0: needed = 2
      case 0xE0..<0xF0: needed = 3
      case 0xF0..<0xF5: needed = 4
      default: return "\u{FFFD}"
      }
    } else if byte & 0xC0 != 0x80 {
      // The broken character is reported; the byte that broke it is lost with it unless it is plain.
      pending = []
      return byte < 0x80 ? Unicode.Scalar(byte) : "\u{FFFD}"
    }
    pending.append(byte)
    guard pending.count == needed else { return nil }
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self).unicodeScalars.first
  }
}
