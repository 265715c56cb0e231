// SPDX-License-Identifier: Apache-2.0
import PetText

/// The question in a message that may ask for a fact, without the phrases around it. Pure.
struct AskedSentence: Sendable {
  let sentence: Sentence
  /// Where the question begins.
  let start: Int
  /// Whether it is asked for in so many words: "do you remember", "tell me".
  let isRequest: Bool

  /// Nil where a message says more than a question.
  /// - Parameter pet: what the pet is called, by which it may be addressed.
  init?(_ message: String, pet: String?, _ rules: RecallRules, _ facts: FactRules) {
    // Nobody asks for a name in a letter.
    guard message.utf8.count <= 300 else { return nil }
    let names = Set(pet.map { $0.lowercased().split(separator: " ").map(String.init) } ?? [])
    let sentences = Sentence.all(in: Self.spelled(message, names, rules, facts))
    guard let sentence = sentences.last,
      sentences.dropLast().allSatisfy({ Self.skip(rules.before, in: $0, from: 0, facts) == $0.tokens.count })
    else { return nil }
    var start = Self.skip(rules.before, in: sentence, from: 0, facts)
    let asked = start
    start = Self.skip(rules.prefixes + rules.before, in: sentence, from: start, facts)
    guard start < sentence.tokens.count else { return nil }
    self.sentence = sentence
    self.start = start
    isRequest = start > asked
  }

  /// Where `pattern` fits all of the question.
  func match(_ pattern: FactPattern, _ rules: RecallRules, _ facts: FactRules, today: CivilDay) -> FactMatch? {
    guard let match = FactMatch.find(pattern, in: sentence, at: start, facts, today: today) else { return nil }
    return sentence.tokens[match.range.upperBound...].allSatisfy { rules.after.contains($0.word) } ? match : nil
  }

  private static func skip(
    _ patterns: [FactPattern], in sentence: Sentence, from start: Int, _ facts: FactRules
  ) -> Int {
    var start = start
    let day = CivilDay(number: 0)
    while start < sentence.tokens.count {
      let ends = patterns.compactMap {
        FactMatch.find($0, in: sentence, at: start, facts, today: day)?.range.upperBound
      }
      guard let end = ends.max() else { break }
      start = end
    }
    return start
  }

  /// As it is written with care: "sisters name" being that of the sister. The name of the pet becomes a break.
  private static func spelled(
    _ message: String, _ names: Set<String>, _ rules: RecallRules, _ facts: FactRules
  ) -> String {
    let words = message.split(whereSeparator: \.isWhitespace)
    return words.enumerated()
      .map { index, word in
        let plain = word.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "'" || $0 == "’" }
        let closing = String(MarkedWord(word).closing)
        if names.contains(plain) { return "," + closing }
        if let spelling = rules.spellings[plain] { return spelling + closing }
        let next = index + 1 < words.count ? words[index + 1].lowercased().filter(\.isLetter) : ""
        let owner = plain.hasSuffix("s") ? String(plain.dropLast()) : ""
        guard closing.isEmpty, rules.owned.contains(next),
          owner == "pet" || facts.animals.contains(owner) || facts.relation(owner) != nil
        else { return String(word) }
        return owner + "'s"
      }
      .joined(separator: " ")
  }
}
