// SPDX-License-Identifier: Apache-2.0
import PetText

/// The words of a message as the networks and the patterns in `prompts` see them. `Training/lib/words.py` does the same: the networks
/// of dangers, intents and recall were trained on it.
///
/// Lower case, accents folded, apostrophes dropped; `.` and `?` end sentences, everything else parts words. Letters that hide
/// ("su1cide", "k m s", "diiie") are undone.
package enum FoldedText {
  /// Messages are judged by so many characters of their beginning and of their end.
  static let half = 4096

  /// Complexity: linear in the text, of which at most twice 4096 scalars are looked at.
  package static func words(_ text: String) -> [String] {
    var bytes: [UInt8] = []
    for scalar in ends(of: text) {
      if let byte = folded(scalar) { bytes.append(byte) }
    }
    var reader = Reader()
    for (index, byte) in bytes.enumerated() {
      let isHidden =
        !byte.isASCIISmall && index > 0 && index + 1 < bytes.count && bytes[index - 1].isASCIISmall
        && bytes[index + 1].isASCIISmall
      reader.read(isHidden ? disguised[byte] ?? byte : byte)
    }
    return spelled(reader.finish())
  }

  /// What lies between the two ends of a long message, in parts of which ``words(_:)`` looks at all; neighbours share some text.
  ///
  /// Complexity: O(characters).
  static func middles(of text: String) -> [String] {
    // No shorter than its bytes allow.
    guard text.utf8.count > 2 * half else { return [] }
    let scalars = Array(text.unicodeScalars)
    return stride(from: half - shared, to: scalars.count - half, by: 2 * half - shared).map { start in
      String(String.UnicodeScalarView(scalars[start..<min(start + 2 * half, scalars.count)]))
    }
  }

  /// Scalars: more than a sentence that a rule matches.
  private static let shared = 512

  private static func ends(of text: String) -> [Unicode.Scalar] {
    let scalars = text.unicodeScalars
    guard scalars.count > 2 * half else { return Array(scalars) }
    return Array(scalars.prefix(half)) + ["."] + Array(scalars.suffix(half))
  }

  /// A digit or sign between two letters stands for a letter.
  private static let disguised = Dictionary(uniqueKeysWithValues: zip("013457@$!".utf8, "oieastasi".utf8))
  private static let dropped = Set(
    "'’‘`´ʼ\u{FF07}\u{AD}\u{200B}\u{200C}\u{200D}\u{2060}\u{FE0F}\u{FEFF}".unicodeScalars)

  /// ASCII; what has no place in it is a space, an ellipsis a full stop. Nil for what is dropped.
  private static func folded(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar.value {
    case 0x41...0x5A: return UInt8(scalar.value) | 0x20
    case 0x61...0x7A, 0x20, 0x30...0x39: return UInt8(scalar.value)
    default: break
    }
    if dropped.contains(scalar) { return nil }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    switch lower.value {
    case 0...0x7F: return UInt8(lower.value)
    case 0xFF01...0xFF5E: return UInt8(lower.value - 0xFEE0)
    case 0x2026: return UInt8(ascii: ".")
    // A letter and its accent apart, as some keyboards write it.
    case _ where Accents.areCombined(by: lower): return nil
    default: return Accents.western[lower] ?? 0x20
    }
  }

  /// Whether `text` is one word, as ``words(_:)`` gives it.
  static func isWord(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    let isPlain = !bytes.isEmpty && bytes.allSatisfy(\.isASCIISmall) && bytes.cuttingRuns(to: 2) == bytes
    return isPlain || words(String(text)) == [String(text)]
  }

  static func endsSentence(_ word: String) -> Bool { word == "." || word == "?" }

  private struct Reader {
    private var found: [String] = []
    private var word: [UInt8] = []

    mutating func read(_ byte: UInt8) {
      if byte.isASCIISmall || byte.isASCIIDigit {
        word.append(byte)
        return
      }
      close()
      guard let last = found.last else { return }
      if ".!\n;:".utf8.contains(byte), last != ".", last != "?" { found.append(".") }
      if byte == UInt8(ascii: "?"), last != "?" {
        if last == "." { found.removeLast() }
        found.append("?")
      }
    }

    mutating func finish() -> [String] {
      close()
      return found
    }

    private mutating func close() {
      guard !word.isEmpty else { return }
      // Three and more of a letter are two.
      found.append(String(decoding: word.cuttingRuns(to: 2, of: \.isASCIISmall), as: UTF8.self))
      word.removeAll(keepingCapacity: true)
    }
  }

  /// Three and more letters in a row that stand alone are one word.
  private static func spelled(_ words: [String]) -> [String] {
    var out: [String] = []
    var run: [String] = []
    func close() {
      out += run.count > 2 ? [run.joined()] : run
      run.removeAll()
    }
    for word in words {
      if word.utf8.count == 1, word.utf8.first?.isASCIISmall == true {
        run.append(word)
      } else {
        close()
        out.append(word)
      }
    }
    close()
    return out
  }
}
