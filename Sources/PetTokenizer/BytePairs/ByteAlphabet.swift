/// The alphabet in which byte-level vocabularies are written: each byte has a printable character.
///
/// Printable Latin-1 bytes stand for themselves; the other 68, in order, are U+0100 and up (so a space is `Ġ`).
/// Introduced with GPT-2.
enum ByteAlphabet {
  /// The byte of each character below U+0144, or -1.
  private static let bytes: [Int16] = {
    var bytes = [Int16](repeating: -1, count: 0x144)
    var next = 0x100
    for byte in 0..<256 {
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: bytes[byte] = Int16(byte)
      default:
        bytes[next] = Int16(byte)
        next += 1
      }
    }
    return bytes
  }()

  /// Appends the bytes that a token in this alphabet stands for.
  ///
  /// - Returns: false, having appended some, for text that is not in the alphabet.
  static func append(_ token: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { table in
      var position = 0
      while position < token.count {
        var scalar = Int(token[position])
        position += 1
        if scalar >= 0x80 {
          // The alphabet ends at U+0143: two bytes, the first of them C2 to C5.
          guard (0xC2...0xC5).contains(scalar), position < token.count, token[position] & 0xC0 == 0x80 else {
            return false
          }
          scalar = (scalar & 0x1F) << 6 | Int(token[position] & 0x3F)
          position += 1
        }
        guard scalar < table.count, table[scalar] >= 0 else { return false }
        output.append(UInt8(truncatingIfNeeded: table[scalar]))
      }
      return true
    }
  }
}
