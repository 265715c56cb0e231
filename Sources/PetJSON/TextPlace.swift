// SPDX-License-Identifier: Apache-2.0
package enum TextPlace {
  /// The line and column of a byte, both from 1; a column is a code point. O(offset).
  package static func of(_ offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    var (line, column) = (1, 1)
    for byte in bytes.prefix(offset) {
      if byte == 0x0A {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }
}
