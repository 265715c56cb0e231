// SPDX-License-Identifier: Apache-2.0
/// Words normalized for comparison: lower case, stemmed.
enum Words {
  /// The words of a text, in small letters; what is neither a letter nor a digit separates them.
  static func of(_ text: some StringProtocol) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "’" }
      .map { word in
        let plain = word.filter { $0 != "’" && $0 != "'" }
        return word.hasSuffix("'s") || word.hasSuffix("’s") ? String(plain.dropLast()) : String(plain)
      }
      .filter { !$0.isEmpty }
  }

  static func stems(_ text: some StringProtocol) -> [String] { of(text).map(stem) }

  /// A light stemmer for English: enough to match "plays" with "playing".
  static func stem(_ word: String) -> String {
    var word = word
    // Shorter words are hardly ever inflected: "is", "bus", "red", "king".
    if word.count > 4, word.hasSuffix("ies") {
      word = word.dropLast(3) + "y"
    } else if word.count > 4, ["sses", "shes", "ches", "xes"].contains(where: word.hasSuffix) {
      word.removeLast(2)
    } else if word.count > 3, word.hasSuffix("s"), !word.hasSuffix("ss"), !word.hasSuffix("us"), !word.hasSuffix("is") {
      word.removeLast()
    }
    for ending in ["ing", "ed"] where word.count > ending.count + 2 && word.hasSuffix(ending) {
      let rest = word.dropLast(ending.count)
      guard rest.contains(where: { "aeiouy".contains($0) }) else { break }
      word = String(rest)
      if let last = word.last, word.dropLast().last == last, !"lsz".contains(last) { word.removeLast() }
      break
    }
    if word.count > 3, word.hasSuffix("e") { word.removeLast() }
    if word.count > 3, word.hasSuffix("y") { word = word.dropLast() + "i" }
    return word
  }

  /// By which two values are the same: "The olives!" and "olive".
  static func key(_ text: String) -> String {
    let stems = stems(text).filter { !["a", "an", "th", "the", "my", "their", "so", "really"].contains($0) }
    return stems.isEmpty ? text.lowercased() : stems.joined(separator: " ")
  }

  static func same(_ a: String, _ b: String) -> Bool { a == b || key(a) == key(b) }
}
