// SPDX-License-Identifier: Apache-2.0
// Names and texts of strangers stand in messages, and messages go to logs and terminals.
extension String {
  /// For a message in one line: U+FFFD for each control character.
  package var oneLine: String {
    let isControl = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) }
    return String(String.UnicodeScalarView(unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
  }

  /// For a word in a message: at most 40 code points, `?` for each that is invisible.
  package var quotable: String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(40).map { $0.isInvisible ? "?" : $0 }))
  }

  /// For a path or a name that must stay recognizable: invisible code points escaped, cut after 200.
  package var printable: String { printable(atMost: 200) }

  /// As ``printable``, cut after `limit` code points.
  package func printable(atMost limit: Int) -> String {
    var result = ""
    for (index, scalar) in unicodeScalars.enumerated() {
      if index == limit { return result + "..." }
      if scalar.isInvisible {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether it shows nothing: control and format characters, half pairs, private use, line separators.
  package var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
