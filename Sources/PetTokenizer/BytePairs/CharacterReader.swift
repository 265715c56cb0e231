/// What the pre-tokenizers' patterns distinguish.
enum CharacterKind: UInt8, Sendable {
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

/// The kind of every scalar, in blocks of 256 of which equal ones are stored once: about 30 KB.
struct UnicodeClasses: Sendable {
  /// Index of each block of 256 scalars in ``kinds``. Block 0 is U+0000 to U+00FF.
  let blocks: [UInt8]
  let kinds: [CharacterKind]

  static let shared = UnicodeClasses()

  private init() {
    var flat = [CharacterKind](repeating: .other, count: 0x11_0000)
    func fill(_ ranges: [UInt32], _ kind: CharacterKind) {
      for pair in stride(from: 0, to: ranges.count, by: 2) {
        for scalar in ranges[pair]...ranges[pair + 1] { flat[Int(scalar)] = kind }
      }
    }
    fill(UnicodeClassRanges.letters, .letter)
    fill(UnicodeClassRanges.numbers, .number)
    fill(Self.whiteSpace, .space)
    var blocks: [UInt8] = []
    var kinds: [CharacterKind] = []
    var known: [ArraySlice<CharacterKind>: UInt8] = [:]
    for start in stride(from: 0, to: flat.count, by: 256) {
      let block = flat[start..<(start + 256)]
      if known[block] == nil {
        known[block] = UInt8(known.count)
        kinds += block
      }
      blocks.append(known[block] ?? 0)
    }
    self.blocks = blocks
    self.kinds = kinds
  }

  /// White_Space, first and last of each run; closed for new characters in practice since Unicode 6.3.
  private static let whiteSpace: [UInt32] = [
    0x9, 0xD, 0x20, 0x20, 0x85, 0x85, 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F,
    0x205F, 0x205F, 0x3000, 0x3000,
  ]
}
