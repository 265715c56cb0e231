// SPDX-License-Identifier: Apache-2.0
/// Text that a terminal marks as pasted: "Bracketed Paste Mode" of https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
package struct BracketedPaste {
  package static let on = "\u{1B}[?2004h"
  package static let off = "\u{1B}[?2004l"
  private static let end = Array("\u{1B}[201~".unicodeScalars)
  /// Far above any message; what is beyond is left out.
  private static let longest = 1 << 20

  private var scalars: [Unicode.Scalar] = []
  /// How much of the end mark the last characters are.
  private var matched = 0
  package private(set) var isWhole = false

  package init() {}

  /// - Parameter scalar: the next character behind the mark that begins the text.
  package mutating func append(_ scalar: Unicode.Scalar) {
    guard !isWhole else { return }
    matched = scalar == Self.end[matched] ? matched + 1 : scalar == Self.end[0] ? 1 : 0
    isWhole = matched == Self.end.count
    if scalars.count < Self.longest || matched > 0 { scalars.append(scalar) }
    if isWhole { scalars.removeLast(min(matched, scalars.count)) }
  }

  /// What was pasted: line ends as line feeds, none at the end, and no other control character but tabs.
  package var text: String {
    var text = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in scalars {
      defer { last = scalar }
      switch scalar {
      case "\r": text.append("\n")
      case "\n": if last != "\r" { text.append("\n") }
      case "\t": text.append("\t")
      default: if scalar.properties.generalCategory != .control { text.append(scalar) }
      }
    }
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
