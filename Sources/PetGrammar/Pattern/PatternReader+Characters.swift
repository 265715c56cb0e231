// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension PatternReader {
  private static let digits = CodePoints([0x30...0x39])
  private static let wordCharacters = CodePoints([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  private static let spaces = CodePoints([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
    0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])

  mutating func characterClass() throws(Failure) -> CodePoints {
    let isNegated = skip("^")
    var members: [ClosedRange<UInt32>] = []
    while let scalar = next {
      if skip("]") {
        let set = CodePoints(members)
        return isNegated ? set.inverted : set
      }
      let low = try member(scalar)
      guard next == 0x2D, offset + 1 < scalars.count, scalars[offset + 1] != 0x5D else {
        members += low.ranges
        continue
      }
      offset += 1
      let high = try member(scalars[offset])
      guard let first = low.single, let last = high.single else { throw .malformed("a range between classes") }
      guard first <= last else { throw .malformed("a range's bounds are in the wrong order") }
      members.append(first...last)
    }
    throw .malformed("a class is not closed")
  }

  private mutating func member(_ scalar: UInt32) throws(Failure) -> CodePoints {
    offset += 1
    return scalar == 0x5C ? try escape(isInClass: true) : CodePoints([scalar...scalar])
  }

  /// What follows a backslash.
  mutating func escape(isInClass: Bool) throws(Failure) -> CodePoints {
    guard let scalar = next, let letter = Unicode.Scalar(scalar) else { throw .malformed("an escape is not finished") }
    offset += 1
    switch letter {
    case "d": return Self.digits
    case "D": return Self.digits.inverted
    case "w": return Self.wordCharacters
    case "W": return Self.wordCharacters.inverted
    case "s": return Self.spaces
    case "S": return Self.spaces.inverted
    case "t": return one(0x09)
    case "n": return one(0x0A)
    case "v": return one(0x0B)
    case "f": return one(0x0C)
    case "r": return one(0x0D)
    case "b" where isInClass: return one(0x08)
    case "0":
      if let digit = next, Self.digits.contains(digit) { throw .malformed("an octal escape") }
      return one(0)
    case "x": return one(try hexadecimal(2))
    case "u": return one(try unicode())
    case "-" where isInClass: return one(scalar)
    case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return one(scalar)
    case "b", "B": throw .unsupported("a word boundary")
    case "1"..."9", "k": throw .unsupported("a back reference")
    case "p", "P", "c": throw .unsupported("\\\(letter)")
    default: throw .malformed("unknown escape")
    }
  }

  private func one(_ point: UInt32) -> CodePoints { CodePoints([point...point]) }

  private mutating func unicode() throws(Failure) -> UInt32 {
    guard skip("{") else {
      let unit = try hexadecimal(4)
      guard (0xD800...0xDFFF).contains(unit) else { return unit }
      guard unit < 0xDC00, skip("\\"), skip("u") else { throw .unsupported("half of a surrogate pair") }
      let low = try hexadecimal(4)
      guard (0xDC00...0xDFFF).contains(low) else { throw .unsupported("half of a surrogate pair") }
      return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }
    var value: UInt32 = 0
    let start = offset
    while let digit = digit() {
      value = value << 4 | digit
      guard value <= 0x10FFFF else { throw .malformed("an escape past the end of Unicode") }
    }
    guard offset > start, skip("}") else { throw .malformed("expected } after an escape") }
    guard !(0xD800...0xDFFF).contains(value) else { throw .unsupported("half of a surrogate pair") }
    return value
  }

  private mutating func hexadecimal(_ digits: Int) throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = digit() else { throw .malformed("expected \(digits) hexadecimal digits") }
      value = value << 4 | digit
    }
    return value
  }

  private mutating func digit() -> UInt32? {
    guard let scalar = next, scalar < 0x80, let digit = Hexadecimal.value(UInt8(scalar)) else { return nil }
    offset += 1
    return UInt32(digit)
  }
}

extension CodePoints {
  /// The only member.
  fileprivate var single: UInt32? {
    guard ranges.count == 1, ranges[0].lowerBound == ranges[0].upperBound else { return nil }
    return ranges[0].lowerBound
  }
}
