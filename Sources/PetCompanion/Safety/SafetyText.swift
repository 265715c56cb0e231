// SPDX-License-Identifier: Apache-2.0
/// The words of a message as the danger detector sees them. `Training/lib/words.py` says the same.
///
/// Lower case, accents folded, apostrophes dropped; `.` and `?` end sentences, everything else parts words. Letters that hide
/// ("su1cide", "k m s", "diiie") are undone.
public enum SafetyText {
  /// Messages are judged by so many characters of their beginning and of their end.
  static let half = 4096

  /// Complexity: linear in the text, of which at most twice 4096 scalars are looked at.
  public static func words(_ text: String) -> [String] {
    var bytes: [UInt8] = []
    for scalar in ends(of: text) {
      if let byte = folded(scalar) { bytes.append(byte) }
    }
    var reader = Reader()
    for (index, byte) in bytes.enumerated() {
      let isHidden =
        !isLetter(byte) && index > 0 && index + 1 < bytes.count && isLetter(bytes[index - 1])
        && isLetter(bytes[index + 1])
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
  private static let folds: [Unicode.Scalar: UInt8] = {
    let from = "àáâãäåāçèéêëēìíîïīñòóôõöøōùúûüūýÿßšž".unicodeScalars
    let to = "aaaaaaaceeeeeiiiiinooooooouuuuuyyssz".utf8
    return Dictionary(zip(from, to)) { first, _ in first }
  }()
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
    case 0x300...0x36F: return nil
    default: return folds[lower] ?? 0x20
    }
  }

  /// Whether `text` is one word, as ``words(_:)`` gives it.
  static func isWord(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    let isPlain = !bytes.isEmpty && bytes.allSatisfy(isLetter)
    let isRepeated = bytes.indices.dropFirst(2).contains { bytes[$0] == bytes[$0 - 1] && bytes[$0] == bytes[$0 - 2] }
    return isPlain && !isRepeated || words(String(text)) == [String(text)]
  }

  static func endsSentence(_ word: String) -> Bool { word == "." || word == "?" }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  private struct Reader {
    private var found: [String] = []
    private var word: [UInt8] = []

    mutating func read(_ byte: UInt8) {
      if isLetter(byte) || (0x30...0x39).contains(byte) {
        // Three and more of a letter are two.
        let isThird = word.count > 1 && isLetter(byte) && word.suffix(2).allSatisfy { $0 == byte }
        if !isThird { word.append(byte) }
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
      found.append(String(decoding: word, as: UTF8.self))
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
      if word.utf8.count == 1, let byte = word.utf8.first, isLetter(byte) {
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
