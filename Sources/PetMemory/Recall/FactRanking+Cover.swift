// SPDX-License-Identifier: Apache-2.0
extension FactRanking {
  /// Whether a fact answers to every word that says something, and to one of them by more than its kind.
  /// - Parameters:
  ///   - words: in small letters.
  ///   - named: also the kind that a word asks for counts, but not alone.
  func covers(_ words: [String], by fact: Fact, named: Bool = false) -> Bool {
    let described = self.words(of: fact)
    let asked = words.filter { !empty.contains($0) }.map { (stem: Words.stem($0), isNumber: Numbers.read($0) != nil) }
    // "My mother's mother" is somebody else.
    guard Set(asked.map(\.stem)).count == asked.count else { return false }
    var isNamed = false
    for (word, isNumber) in asked {
      if closeness(of: word, to: described) > 0 {
        isNamed = isNamed || !isNumber
      } else if !named || cues[word]?.contains(fact.kind) != true {
        return false
      }
    }
    return isNamed
  }
}
