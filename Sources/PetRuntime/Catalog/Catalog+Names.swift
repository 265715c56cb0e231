// SPDX-License-Identifier: Apache-2.0
extension Catalog {
  /// A model's name: lower-case letters, digits, `.`, `_`, `-`, the first a letter or digit, at most 64.
  package static func isName(_ text: String) -> Bool {
    isFileName(text) && text.utf8.count <= 64 && text.utf8.first != UInt8(ascii: "_")
      && !text.utf8.contains { (0x41...0x5A).contains($0) }
  }

  /// A name that is safe as a part of a path and as an argument: no separator, no leading dot or dash.
  package static func isFileName(_ text: String) -> Bool {
    func isLetterOrDigit(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard let first = text.utf8.first, first == UInt8(ascii: "_") || isLetterOrDigit(first), text.utf8.count <= 128
    else { return false }
    return text.utf8.allSatisfy { isLetterOrDigit($0) || [0x2E, 0x5F, 0x2D].contains($0) }
  }

  /// Such names with slashes between them.
  static func isPath(_ text: String, parts allowed: ClosedRange<Int> = 1...16) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return allowed.contains(parts.count) && parts.allSatisfy { isFileName(String($0)) }
  }
}
