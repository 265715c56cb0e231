// SPDX-License-Identifier: Apache-2.0
/// What the pre-tokenizers' patterns distinguish.
package enum CharacterKind: UInt8, Sendable {
  /// Punctuation, symbols, marks, controls, unassigned scalars, and bytes that are not UTF-8.
  case other = 0
  /// `\p{L}`
  case letter
  /// `\p{N}`
  case number
  /// `\s`: the property White_Space.
  case space
}

/// Reads UTF-8 one character at a time, with its kind.
///
/// A byte that is not part of a well-formed sequence (RFC 3629) is a character of its own, of kind `other`, so any
/// bytes can be encoded and come back.
struct CharacterReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let blocks: [UInt8]
  private let kinds: [CharacterKind]

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    let table = UnicodeClasses.shared
    blocks = table.blocks
    kinds = table.kinds
  }

  var count: Int { bytes.count }

  @inline(__always)
  func byte(at position: Int) -> UInt8 { bytes[position] }

  /// The character at a position below `count`.
  @inline(__always)
  func character(at position: Int) -> (kind: CharacterKind, length: Int) {
    let first = bytes[position]
    if first < 0x80 { return (kinds[Int(first)], 1) }
    return multibyteCharacter(first, at: position)
  }

  private func multibyteCharacter(_ first: UInt8, at position: Int) -> (kind: CharacterKind, length: Int) {
    let length: Int
    var scalar: Int
    switch first {
    case 0xC2...0xDF: (length, scalar) = (2, Int(first & 0x1F))
    case 0xE0...0xEF: (length, scalar) = (3, Int(first & 0x0F))
    case 0xF0...0xF4: (length, scalar) = (4, Int(first & 0x07))
    default: return (.other, 1)
    }
    guard bytes.count - position >= length else { return (.other, 1) }
    for offset in 1..<length {
      let byte = bytes[position + offset]
      guard byte & 0xC0 == 0x80 else { return (.other, 1) }
      scalar = scalar << 6 | Int(byte & 0x3F)
    }
    // Overlong forms, surrogates and what lies past U+10FFFF are not UTF-8.
    let smallest = length == 4 ? 0x1_0000 : length == 3 ? 0x800 : 0x80
    guard scalar >= smallest, scalar < 0x11_0000, !(0xD800...0xDFFF).contains(scalar) else { return (.other, 1) }
    return (kinds[Int(blocks[scalar >> 8]) << 8 | scalar & 0xFF], length)
  }
}

/// The kind of every scalar, in blocks of 256: one stands for all that hold nothing, one for all that hold letters only,
/// and 133 hold several kinds; about 40 KB.
///
/// Made block by block from the ranges, in tens of microseconds, since a process waits for it before its first token.
package struct UnicodeClasses: Sendable {
  /// Index of each block of 256 scalars in ``kinds``. U+0000 to U+00FF are the first there, so that ASCII needs no look here.
  private(set) var blocks = [0] + [UInt8](repeating: empty, count: 0x10FF)
  private(set) var kinds =
    [CharacterKind](repeating: .other, count: 512) + [CharacterKind](repeating: .letter, count: 256)

  private static let empty: UInt8 = 1
  private static let letters: UInt8 = 2

  package static let shared = UnicodeClasses()

  private init() {
    kinds.reserveCapacity(160 * 256)
    fill(UnicodeClassRanges.letters, .letter)
    fill(UnicodeClassRanges.numbers, .number)
    fill(Self.whiteSpace, .space)
  }

  package func kind(of scalar: Unicode.Scalar) -> CharacterKind {
    kinds[Int(blocks[Int(scalar.value >> 8)]) << 8 | Int(scalar.value & 0xFF)]
  }

  private mutating func fill(_ ranges: [UInt32], _ kind: CharacterKind) {
    for pair in stride(from: 0, to: ranges.count, by: 2) {
      let (first, last) = (Int(ranges[pair]), Int(ranges[pair + 1]))
      for block in first >> 8...last >> 8 {
        let start = block << 8
        let part = max(first, start) - start...min(last, start + 255) - start
        if part.count == 256, kind == .letter {
          blocks[block] = Self.letters
          continue
        }
        if blocks[block] == Self.empty {
          blocks[block] = UInt8(kinds.count >> 8)
          kinds.append(contentsOf: repeatElement(.other, count: 256))
        }
        let base = Int(blocks[block]) << 8
        for scalar in part { kinds[base + scalar] = kind }
      }
    }
  }

  /// White_Space, first and last of each run; closed for new characters in practice since Unicode 6.3.
  private static let whiteSpace: [UInt32] = [
    0x9, 0xD, 0x20, 0x20, 0x85, 0x85, 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F,
    0x205F, 0x205F, 0x3000, 0x3000,
  ]
}
