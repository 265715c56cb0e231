// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

extension TerminalText {
  /// Scripts of wide characters (East Asian Width W and F of Unicode Standard Annex 11). Emoji are found by their property.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3040...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]

  /// Columns that a terminal gives to `text`, which has no control characters. Those whose width is ambiguous count as one.
  /// O(length).
  package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// 0 for a lone mark, 2 for an emoji or a wide character, else 1.
  package static func width(_ character: Character) -> Int {
    if character.isASCII { return 1 }
    let scalars = character.unicodeScalars
    var widest = 0
    for scalar in scalars { widest = max(widest, width(scalar)) }
    // A mark that asks for the colourful form, or two letters that make a flag.
    let isEmoji = scalars.contains { $0.value == 0xFE0F } || scalars.count { isRegional($0) } > 1
    return isEmoji ? 2 : widest
  }

  package static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x300: return 1
    // Vowels and finals that join the syllable before them.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation && !isRegional(scalar) { return 2 }
    // The first that ends at or after it.
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(scalar.value) ? 2 : 1
  }

  private static func isRegional(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }

  /// `text` without the spaces behind it.
  static func trimmingEnd(_ text: String) -> String {
    String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
  }

  /// A name or a label as it may stand in a line: sanitized, white space and line ends as one space, at most `limit` columns.
  package static func label(_ text: String, limit: Int = 24) -> String {
    var (label, room) = ("", limit)
    for character in line(String(text.prefix(4 * limit))) {
      room -= width(character)
      guard room >= 0 else { break }
      label.append(character)
    }
    return label
  }

  /// The lines of `text`, none of more than `columns` columns where its characters allow it.
  package static func wrapped(_ text: String, columns: Int) -> [String] {
    var wrap = WordWrap(columns: columns)
    let whole = wrap.append(sanitize(text)) + wrap.finish()
    return whole.split(separator: "\n", omittingEmptySubsequences: false).map { trimmingEnd(String($0)) }
  }

  /// The phrases in lines, broken between them rather than within, where a line has room for one.
  static func wrapped(whole phrases: [String], columns: Int) -> [String] {
    let joined = phrases.map { width($0) <= columns ? $0.replacing(" ", with: "\u{A0}") : $0 }.joined(separator: " ")
    return wrapped(joined, columns: columns).map { $0.replacing("\u{A0}", with: " ") }
  }
}
