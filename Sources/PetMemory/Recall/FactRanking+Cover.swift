extension FactRanking {
  /// Whether a fact answers to every word that says something, and to one of them by more than its kind.
  /// - Parameters:
  ///   - words: in small letters.
  ///   - named: also the kind that a word asks for counts, but not alone.
  func covers(_ words: [String], by fact: Fact, named: Bool = false) -> Bool {
    let described = self.words(of: fact)
    let asked = words.filter { !empty.contains($0) }.map(Words.stem)
    var isNamed = false
    for word in asked {
      if closeness(of: word, to: described) > 0 {
        isNamed = true
      } else if !named || cues[word]?.contains(fact.kind) != true {
        return false
      }
    }
    return isNamed
  }
}
