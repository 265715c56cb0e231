// SPDX-License-Identifier: Apache-2.0
/// The alphabet in which byte-level vocabularies are written: each byte has a printable character.
///
/// Printable Latin-1 bytes stand for themselves; the other 68, in order, are U+0100 and up (so a space is `Ġ`).
/// Introduced with GPT-2.
enum ByteAlphabet {
  /// The byte of each character below U+0144, or -1.
  private static let bytes: [Int16] = {
    var bytes = [Int16](repeating: -1, count: 0x144)
    for byte in UInt8.min...UInt8.max { bytes[Int(scalars[Int(byte)])] = Int16(byte) }
    return bytes
  }()

  /// The character of each byte.
  private static let scalars: [UInt16] = {
    var next: UInt16 = 0x100
    return (0..<256).map { (byte: UInt16) in
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: return byte
      default:
        next += 1
        return next - 1
      }
    }
  }()

  /// Appends the characters of `bytes` as UTF-8.
  static func spell(_ bytes: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    for byte in bytes {
      let scalar = scalars[Int(byte)]
      if scalar < 0x80 {
        output.append(UInt8(scalar))
      } else {
        output.append(0xC0 | UInt8(scalar >> 6))
        output.append(0x80 | UInt8(scalar & 0x3F))
      }
    }
  }

  /// Appends the bytes that a token in this alphabet stands for.
  ///
  /// - Returns: false, having appended nothing, for text that is not in the alphabet.
  static func append(_ token: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
    let count = output.count
    let isSpelled = eachByte(of: token) { output.append($0) }
    if !isSpelled { output.removeSubrange(count...) }
    return isSpelled
  }

  /// Whether text is in this alphabet.
  static func canSpell(_ text: UnsafeBufferPointer<UInt8>) -> Bool { eachByte(of: text) { _ in } }

  @inline(__always)
  private static func eachByte(of token: UnsafeBufferPointer<UInt8>, _ receive: (UInt8) -> Void) -> Bool {
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
        receive(UInt8(truncatingIfNeeded: table[scalar]))
      }
      return true
    }
  }
}
