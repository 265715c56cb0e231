/// Text of a model, a file or a person on its way to a terminal.
package enum TerminalText {
  /// The text with every control character made visible, so that none can move the cursor, retitle the window or send
  /// an answer back. Line feed and tab stay. C0 characters and DEL become their picture (U+2400 ...), C1 ones U+FFFD.
  package static func sanitize(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      clean.append(isControl(scalar) ? picture(of: scalar) : scalar)
    }
    return String(clean)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0x00...0x1F, 0x7F...0x9F: true
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
