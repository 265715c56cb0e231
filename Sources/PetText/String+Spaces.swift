// SPDX-License-Identifier: Apache-2.0
extension StringProtocol {
  /// Without white space at its ends. By code points: an accent that stands alone is no part of a space before it.
  package var trimmed: String {
    let start = unicodeScalars.drop(while: \.properties.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(String.UnicodeScalarView(start[...last]))
  }

  /// One line: each run of white space is one space, and none stands at the ends.
  package var singleSpaced: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

extension UInt8 {
  /// Whether it is white space of ASCII.
  package var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

  /// Whether it is a small letter of ASCII.
  package var isASCIISmall: Bool { (0x61...0x7A).contains(self) }

  /// Whether it is a digit of ASCII.
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}

extension Collection<UInt8> {
  /// The text of UTF-8 bytes, without white space of ASCII at its ends.
  package var trimmedText: String {
    let start = Array(drop(while: \.isASCIISpace))
    let end = start.lastIndex { !$0.isASCIISpace } ?? -1
    return String(decoding: start[..<(end + 1)], as: UTF8.self)
  }
}
