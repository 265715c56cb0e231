// SPDX-License-Identifier: Apache-2.0
/// A keyed hash of byte strings: eight bytes at a time are multiplied with a secret and both halves of the product mixed.
///
/// The secret is drawn per process, so that a file cannot be made whose tokens all collide.
struct ByteHash: Sendable {
  private let secret: UInt64

  init() { secret = UInt64.random(in: .min ... .max) | 1 }

  @inline(__always)
  func callAsFunction(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(key)
    let count = bytes.count
    var state = secret ^ UInt64(truncatingIfNeeded: count)
    switch count {
    case 8...:
      // The last eight may overlap those before them.
      var position = 0
      while position < count - 8 {
        state = (state ^ bytes.word(at: position, UInt64.self)).folded(by: secret)
        position += 8
      }
      state ^= bytes.word(at: count - 8, UInt64.self)
    case 4...: state ^= UInt64(bytes.word(at: 0, UInt32.self)) << 32 | UInt64(bytes.word(at: count - 4, UInt32.self))
    case 1...: state ^= UInt64(bytes[0]) << 16 | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count - 1])
    default: break
    }
    return state.folded(by: secret)
  }

  /// The hash of a pair of hashes.
  @inline(__always)
  func callAsFunction(_ left: UInt32, _ right: UInt32) -> UInt64 {
    (secret ^ (UInt64(left) << 32 | UInt64(right))).folded(by: 0x9E37_79B9_7F4A_7C15 ^ secret)
  }
}

extension UInt64 {
  /// High and low half of the product, mixed.
  @inline(__always)
  func folded(by factor: UInt64) -> UInt64 {
    let product = multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  fileprivate func word<Word: FixedWidthInteger & BitwiseCopyable>(at position: Int, _ type: Word.Type) -> Word {
    loadUnaligned(fromByteOffset: position, as: type)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether both hold the same bytes. Tokens are short: a few words are faster than a call.
  @inline(__always)
  func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
    switch count {
    case 8...:
      var position = 0
      while position < count - 8 {
        guard left.word(at: position, UInt64.self) == right.word(at: position, UInt64.self) else { return false }
        position += 8
      }
      return left.word(at: count - 8, UInt64.self) == right.word(at: count - 8, UInt64.self)
    case 4...:
      return left.word(at: 0, UInt32.self) == right.word(at: 0, UInt32.self)
        && left.word(at: count - 4, UInt32.self) == right.word(at: count - 4, UInt32.self)
    case 1...:
      return left[0] == right[0] && left[count / 2] == right[count / 2] && left[count - 1] == right[count - 1]
    default: return true
    }
  }

  /// Where a byte is first; the count where it is not.
  @inline(__always)
  func firstPosition(of byte: UInt8) -> Int {
    var position = 0
    while position + 8 <= count {
      // A byte of zero borrows from the bit above it (Mycroft 1987).
      let word = UnsafeRawBufferPointer(self).word(at: position, UInt64.self).littleEndian
      let difference = word ^ 0x0101_0101_0101_0101 &* UInt64(byte)
      let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      if zeros != 0 { return position + zeros.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < count, self[position] != byte { position += 1 }
    return position
  }

  /// The bytes of a range that lies within these: unlike a slice's, its bounds are not checked again.
  @inline(__always)
  func part(_ start: Int, _ end: Int) -> Self { Self(start: baseAddress.map { $0 + start }, count: end &- start) }

  /// Whether these bytes are those of `left` and `right` in a row.
  @inline(__always)
  func equals(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    count == left.count &+ right.count && part(0, left.count).equals(left) && part(left.count, count).equals(right)
  }
}
