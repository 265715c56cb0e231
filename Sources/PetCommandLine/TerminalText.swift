// SPDX-License-Identifier: Apache-2.0
/// Text of a model, a file, a person or another program on its way to people.
package enum TerminalText {
  /// The text with every control character made visible, so that none can move the cursor, retitle the window or send
  /// an answer back. Line feed and tab stay. C0 characters and DEL become their picture (U+2400 ...), C1 ones U+FFFD, and so
  /// do the characters that reorder what stands around them (https://www.unicode.org/reports/tr9/, explicit formatting).
  package static func sanitize(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      clean.append(isControl(scalar) ? picture(of: scalar) : scalar)
    }
    return String(clean)
  }

  /// The text as it may stand in a line of this program's own: sanitized, white space and line ends as one space, invisible
  /// characters as U+FFFD. The joiners of scripts and of emoji stay behind characters that are not ASCII.
  package static func line(_ text: String) -> String {
    var clean = String.UnicodeScalarView()
    var isAfterSpace = true
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace {
        if !isAfterSpace { clean.append(" ") }
        isAfterSpace = true
        continue
      }
      isAfterSpace = false
      let joins = (scalar == "\u{200C}" || scalar == "\u{200D}") && clean.last?.isASCII == false
      if isControl(scalar) {
        clean.append(picture(of: scalar))
      } else {
        clean.append(scalar.properties.generalCategory == .format && !joins ? "\u{FFFD}" : scalar)
      }
    }
    if isAfterSpace, !clean.isEmpty { clean.removeLast() }
    return String(clean)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func picture(of control: Unicode.Scalar) -> Unicode.Scalar {
    switch control.value {
    case 0x00...0x1F: Unicode.Scalar(0x2400 + control.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    default: "\u{FFFD}"
    }
  }
}
