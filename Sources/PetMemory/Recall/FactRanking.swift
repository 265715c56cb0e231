// SPDX-License-Identifier: Apache-2.0
/// Ranks facts by their relevance to a message: common words and the kind of fact that a question asks for, else importance and
/// recency. After the sum of relevance, importance and recency of "Generative Agents" (Park et al. 2023). Pure: no clock, no store.
package struct FactRanking: Sendable {
  package struct Score: Sendable, Equatable {
    package let fact: Fact
    package let score: Double
    /// The part that comes from what was asked; 0 where nothing connects them.
    package let relevance: Double
  }

  private static let recencyDays = 30.0
  /// How sure it is at most of what no rule reads.
  private static let inPassing = 0.5
  /// What is beyond is not looked at.
  private static let mostWords = 64
  private static let longestMessage = 1000

  let cues: [String: Set<Fact.Kind>]
  let empty: Set<String>
  /// Words with which a question begins, and those that may come before.
  private let questions: Set<String>
  private let leads: Set<String>
  /// By stem: the numbers of the groups of words that mean nearly the same.
  private let groups: [String: Set<Int>]
  /// By stem of a member: the stems of what it is one of.
  private let classes: [String: Set<String>]
  /// By stem: who is not the speaker.
  private let others: Set<String>

  package init(_ rules: FactRules = .standard) {
    var cues: [String: Set<Fact.Kind>] = [:]
    for (word, kinds) in rules.cues { cues[Words.stem(word), default: []].formUnion(kinds) }
    var groups: [String: Set<Int>] = [:]
    for (index, group) in rules.synonyms.enumerated() {
      for word in group { groups[Words.stem(word), default: []].insert(index) }
    }
    var classes: [String: Set<String>] = [:]
    for (name, members) in rules.classes {
      for member in members { classes[Words.stem(member), default: []].insert(Words.stem(name)) }
    }
    self.cues = cues
    self.groups = groups
    self.classes = classes
    empty = Set(rules.empty)
    questions = rules.questions
    leads = rules.leads
    others = Set(rules.relations.keys.map(Words.stem))
  }

  /// The facts that are live, best first; equal ones by their ids, so that the order is always the same.
  /// - Parameter today: by which "on Monday" in the message is understood.
  /// - Complexity: the number of facts times the number of words of the message and of a fact, and sorting.
  package func scores(of facts: [Fact], for message: String, today: CivilDay, at now: Int64) -> [Score] {
    let live = facts.filter { $0.isLive(at: now) }
    let described = live.map { words(of: $0) }
    var relevance = [Double](repeating: 0, count: live.count)
    for word in content(message) {
      let closeness = described.map { self.closeness(of: word, to: $0) }
      // A word that many facts answer to tells little about which is meant.
      let weight = 1 / (1 + Double(closeness.count { $0 > 0 }) / 4)
      for index in relevance.indices { relevance[index] += closeness[index] * weight }
    }
    let asked = Words.stems(message.prefix(Self.longestMessage))
    let kinds = asked.reduce(into: Set<Fact.Kind>()) { $0.formUnion(cues[$1] ?? []) }
    let asksOfOthers = asked.contains { others.contains($0) }
    let days = days(in: message, today)
    for (index, fact) in live.enumerated() {
      if days.contains(where: fact.text.contains) { relevance[index] += 1.2 }
      guard kinds.contains(fact.kind) else { continue }
      // A question about nobody else is about the speaker.
      let isOfWhomIsAsked = fact.subject == "user" ? !asksOfOthers : relevance[index] > 0
      relevance[index] += isOfWhomIsAsked ? 0.8 : 0.3
    }
    return zip(live, relevance)
      .map { fact, relevance in
        let age = Double(max(0, now.subtractingReportingOverflow(fact.lastUsed).partialValue)) / 86_400
        let recency = 1 / (1 + age / Self.recencyDays)
        let certainty = 0.7 + 0.3 * fact.confidence
        let score = relevance * certainty + 0.2 * fact.importance * fact.confidence + 0.1 * recency
        return Score(fact: fact, score: score, relevance: relevance)
      }
      .sorted { ($0.score, $1.fact.id) > ($1.score, $0.fact.id) }
  }

  /// The facts to tell a model.
  /// - Parameters:
  ///   - count: at most so many.
  ///   - unasked: of them, so many may have nothing to do with the message: who the person is, and the like.
  ///
  /// What was only said in passing answers questions; a statement that shares a word with it needs it not.
  package func recall(
    _ facts: [Fact], for message: String, count: Int, unasked: Int = 2, today: CivilDay, at now: Int64
  ) -> [Fact] {
    var left = max(0, unasked)
    let asks = asks(message)
    return scores(of: facts, for: message, today: today, at: now)
      .filter { score in
        guard asks || score.fact.confidence > Self.inPassing else { return false }
        guard score.relevance <= 0 else { return true }
        left -= 1
        return left >= 0
      }
      .prefix(max(0, count)).map(\.fact)
  }

  /// With its mark or without.
  private func asks(_ message: String) -> Bool {
    let words = Words.of(message.prefix(Self.longestMessage)).drop { leads.contains($0) }
    return message.contains("?") || words.first.map(questions.contains) == true
      || words.contains { ["remember", "recall", "know"].contains($0) }
  }

  func content(_ text: some StringProtocol) -> [String] {
    var seen: Set<String> = []
    return Words.of(text.prefix(Self.longestMessage)).filter { !empty.contains($0) }.prefix(Self.mostWords)
      .map(Words.stem).filter { seen.insert($0).inserted }
  }

  /// Whether one is a line in the person's words, and the other was understood of it.
  package func isSameTelling(_ one: Fact, _ other: Fact) -> Bool {
    (one.kind == .said) != (other.kind == .said)
      && (one.source.conversation, one.source.turn) == (other.source.conversation, other.source.turn)
      // What was brought from elsewhere has no conversation any more.
      && (!one.source.conversation.isEmpty || one.created == other.created)
      && !Set(content(one.toldWords)).isDisjoint(with: content(other.toldWords))
  }

  /// What a fact can be found by.
  func words(of fact: Fact) -> Set<String> {
    Set(content(fact.text) + content(fact.value) + content(fact.topic) + content(fact.subject))
  }

  /// From 0 to 1.4: a word itself, one that means nearly the same, the name of a class of things.
  func closeness(of word: String, to words: Set<String>) -> Double {
    if words.contains(word) { return 1.4 }
    if let mine = groups[word], words.contains(where: { !(groups[$0]?.isDisjoint(with: mine) ?? true) }) { return 1.1 }
    return words.contains { classes[$0]?.contains(word) ?? false } ? 1 : 0
  }

  /// The days that a message speaks of, as facts have them.
  private func days(in message: String, _ today: CivilDay) -> Set<String> {
    let words = Array(Words.of(message.prefix(Self.longestMessage)).prefix(Self.mostWords))
    return Set(words.indices.compactMap { DayReading.read(words[$0...], today: today)?.day.written })
  }
}
