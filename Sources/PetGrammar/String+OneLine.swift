// SPDX-License-Identifier: Apache-2.0
extension String {
  /// The text with U+FFFD for control characters: names of strangers stand in messages, and messages go to logs and terminals.
  package var oneLine: String {
    let isControl = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) }
    return String(String.UnicodeScalarView(unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
  }
}
