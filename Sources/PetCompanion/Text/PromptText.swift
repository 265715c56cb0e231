// SPDX-License-Identifier: Apache-2.0
import PetText

/// What strangers' texts may bring into a prompt: words, and nothing that a model takes for the frame around them.
///
/// Markers such as `<|end|>`, `</s>`, `<<SYS>>` and `[INST]` lose their first bracket, which becomes a like one; invisible and
/// control characters go (the flags of ``PromptFormat`` are such). What comes out is the same when it is cleaned again.
package enum PromptText {
  /// The text without markers. Line breaks stay. Time grows with its length.
  package static func clean(_ text: String) -> String {
    // Foreign line breaks become ours; then what is left of control characters goes.
    let text = text.replacing("\r\n", with: "\n")
    let scalars = text.unicodeScalars.map { "\r\u{2028}\u{2029}\u{85}".unicodeScalars.contains($0) ? "\n" : $0 }
    var kept = String.UnicodeScalarView()
    for scalar in scalars {
      let isJoined = isJoiner(scalar) && (kept.last?.value ?? 0) >= 0x600
      if isJoined || scalar == "\n" || scalar == "\t" || !scalar.isInvisible { kept.append(scalar) }
    }
    var cleaned = String.UnicodeScalarView()
    var index = kept.startIndex
    while index < kept.endIndex {
      let rest = kept[kept.index(after: index)...]
      cleaned.append(replacement(of: kept[index], before: rest))
      index = rest.startIndex
    }
    return String(cleaned)
  }

  /// The text without markers, as one line.
  package static func line(_ text: String) -> String {
    let words = clean(text).unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
    return words.map { String($0) }.joined(separator: " ")
  }

  private static func replacement(of scalar: Unicode.Scalar, before rest: Substring.UnicodeScalarView) -> Unicode.Scalar
  {
    switch scalar {
    // Some tokenizers make these into the plain ones first (NFKC).
    case "\u{FF1C}", "\u{FE64}": return "\u{2039}"
    case "<":
      guard let next = rest.first else { return scalar }
      return next.properties.isAlphabetic || "<|/_!\u{FF5C}\u{FFE8}".unicodeScalars.contains(next) ? "\u{2039}" : scalar
    case "[":
      let word = rest.drop { $0 == "/" }.prefix { $0 == "_" || ("A"..."Z").contains($0) }
      return bracketed.contains(String(word)) ? "(" : scalar
    default: return scalar
    }
  }

  /// Words that are markers between square brackets.
  private static let bracketed: Set = [
    "AVAILABLE_TOOLS", "CLS", "IMG", "INST", "MASK", "PAD", "SEP", "SYS", "SYSTEM_PROMPT", "TOOL_CALLS", "TOOL_RESULTS",
    "UNK",
  ]

  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{200C}" || scalar == "\u{200D}" }
}
