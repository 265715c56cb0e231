// SPDX-License-Identifier: Apache-2.0
/// English words without their endings, by two sets of rules. Neither can take the place of the other: words that two lines share are
/// counted by ``suffix(cutFrom:)``, and facts are found by ``inflection(undoneIn:)``, which knows "cherries" by "cherry".
package enum Stem {
  /// Without one of "ing", "ed", "es" and "s", then without "e". `Training/lib/recall.py` does the same.
  package static func suffix(cutFrom word: String) -> String {
    var word = Substring(word)
    if let end = ["ing", "ed", "es", "s"].first(where: { word.utf8.count > $0.utf8.count + 2 && word.hasSuffix($0) }) {
      word = word.dropLast(end.count)
    }
    return String(word.utf8.count > 3 && word.hasSuffix("e") ? word.dropLast() : word)
  }

  /// Without the commonest endings of plurals and verbs: enough to find "plays" by "playing", no more.
  package static func inflection(undoneIn word: String) -> String {
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
}
