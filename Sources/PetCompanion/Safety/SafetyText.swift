/// The words of a message as the danger detector sees them. `Training/lib/words.py` says the same.
///
/// Lower case, accents folded, apostrophes dropped; `.` and `?` end sentences, everything else parts words. Letters that hide
/// ("su1cide", "k m s", "diiie") are undone.
public enum SafetyText {
  /// Messages are judged by so many characters of their beginning and of their end.
  static let half = 4096

  /// Complexity: linear in the text, of which at most twice 4096 scalars are looked at.
  public static func words(_ text: String) -> [String] {
    let scalars = ends(of: text).flatMap(folded)
    var reader = Reader()
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : 0x20
      let after = index + 1 < scalars.count ? scalars[index + 1] : 0x20
      reader.read(isLetter(before) && isLetter(after) ? disguised[scalar] ?? scalar : scalar)
    }
    return spelled(reader.finish())
  }

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

  /// ASCII; what has no place in it is a space, an ellipsis a full stop. Nothing for what is dropped.
  private static func folded(_ scalar: Unicode.Scalar) -> [UInt8] {
    if dropped.contains(scalar) { return [] }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    switch lower.value {
    case 0...0x7F: return [UInt8(lower.value)]
    case 0xFF01...0xFF5E: return [UInt8(lower.value - 0xFEE0)]
    case 0x2026: return [UInt8(ascii: ".")]
    // A letter and its accent apart, as some keyboards write it.
    case 0x300...0x36F: return []
    default: return [folds[lower] ?? 0x20]
    }
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
