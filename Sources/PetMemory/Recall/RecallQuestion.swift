// SPDX-License-Identifier: Apache-2.0
/// Recognizes a direct question for what a person told, and finds the facts that answer it: by rules, without a model, a
/// clock or a store. What is doubtful is no such question.
package struct RecallQuestion: Sendable {
  /// Most facts that one answer tells.
  static let mostFacts = 4
  /// And of the person's own lines one that tells of a visit.
  private static let mostLines = 3
  /// And one that is to tell everything.
  static let mostOfAll = 12
  /// By how much the best fact must be ahead where one is asked for.
  private static let lead = 1.25

  let rules: RecallRules
  let facts: FactRules
  let ranking: FactRanking

  package init(_ rules: RecallRules = .standard, _ facts: FactRules = .standard) {
    self.rules = rules
    self.facts = facts
    ranking = FactRanking(facts)
  }

  /// - Parameters:
  ///   - known: all that is remembered; what is no longer live does not count.
  ///   - pet: what the pet is called, by which it may be addressed.
  ///   - today: by which "on Monday" is understood.
  ///   - conversation: as in the sources of facts; "last time" is the one before.
  ///   - offset: seconds by which clocks are ahead of universal time.
  /// - Complexity: the number of patterns, and for the few messages that fit one the number of facts.
  package func finding(
    in message: String, among known: [Fact], pet: String? = nil, today: CivilDay, at now: Int64,
    conversation: String = "", offset: Int = 0
  ) -> RecallFinding {
    guard let asked = AskedSentence(message, pet: pet, rules, facts) else { return .notAsked }
    let all = known.filter { $0.isLive(at: now) }
    if rules.lastTime.contains(where: { asked.match($0, rules, facts, today: today) != nil }) {
      return lastTime(before: conversation, among: all, today, offset: offset)
    }
    // What nobody has taken apart answers no rule.
    let live = all.filter { $0.kind != .said }
    var missing: String?
    var asksForName = false
    var isOfOneself = false
    for question in rules.questions {
      guard let slots = slots(of: question, in: asked, today) else { continue }
      let found = answers(to: question, slots, among: live)
      if !found.isEmpty {
        guard question.many == true else { return .known([found[0]], lines: question.say ?? "any") }
        let most = question.all == true ? Self.mostOfAll : Self.mostFacts
        return .known(
          Array(found.prefix(most)), more: max(0, found.count - most), lines: question.say ?? "any")
      }
      if missing == nil, let miss = question.miss {
        missing = slots.filled(miss)
        isOfOneself = question.subject == nil || question.subject == "*" && question.all == true
      }
      if question.named == true { asksForName = true }
    }
    let candidates = isOfOneself ? live.filter { $0.subject == "user" } : live
    // Who asks for the own name asks for nobody else's.
    if asksForName, isOfOneself, let missing { return .unknown(missing, isOfOneself: true) }
    if let found = open(asked, among: candidates, today, now), !asksForName || found.contains(where: \.isNamed) {
      return .known(found, lines: "any")
    }
    return missing.map { .unknown($0, isOfOneself: isOfOneself) } ?? .notAsked
  }

  /// What was told in the conversation before this one; their names are the seconds in which they began.
  private func lastTime(
    before conversation: String, among live: [Fact], _ today: CivilDay, offset: Int
  ) -> RecallFinding {
    let current = Int64(conversation) ?? .max
    let last = live.compactMap { Int64($0.source.conversation) }.filter { $0 < current }.max()
    guard let last else { return .unknown("", isOfOneself: false) }
    let ofLast = live.filter { $0.source.conversation == String(last) && !$0.isQuiet }
    let facts = ofLast.filter { $0.kind != .said }
    // Of lines that told no fact the longest say most.
    let lines = ofLast.filter { line in line.kind == .said && !facts.contains { $0.source.turn == line.source.turn } }
    let said = lines.sorted { ($0.value.count, $0.id) > ($1.value.count, $1.id) }.prefix(Self.mostLines).map(\.id)
    let told = ofLast.filter { $0.kind != .said || said.contains($0.id) }
    guard !told.isEmpty else { return .unknown("", isOfOneself: false) }
    let day = CivilDay(at: last, offset: offset)
    let when = day == today ? "earlier today" : day == today.adding(-1) ? "yesterday" : "on \(day.written)"
    return .known(
      Array(told.prefix(Self.mostOfAll)), more: max(0, told.count - Self.mostOfAll), when: when, lines: "last_time")
  }

  private func slots(of question: RecallRules.Question, in asked: AskedSentence, _ today: CivilDay) -> RecallSlots? {
    for pattern in question.ask + (asked.isRequest ? question.noun ?? [] : []) {
      guard let match = asked.match(pattern, rules, facts, today: today) else { continue }
      let slots = RecallSlots(match, in: asked.sentence, facts)
      if let things = question.things, !things.contains(slots["thing"] ?? "") { continue }
      return slots
    }
    return nil
  }

  /// What answers a question of the list, the newest first where several are as good.
  private func answers(to question: RecallRules.Question, _ slots: RecallSlots, among live: [Fact]) -> [Fact] {
    let subjects = subjects(question.subject ?? "user", slots, live)
    var found: [Fact] = []
    for source in question.of where found.isEmpty || question.together == true {
      let topic = source.topic.map { slots.filled($0) }
      let usesThing = source.topic?.contains("{thing}") == true
      found += live.filter { fact in
        guard question.all != true || question.subject != "*" || !fact.isQuiet,
          source.kind == nil || source.kind == fact.kind, subjects?.contains(fact.subject) ?? true,
          !found.contains(where: { $0.id == fact.id })
        else { return false }
        if let topic, topic.map({ Words.same(fact.topic, $0) }) != true { return false }
        if question.named == true && !fact.isNamed || question.counts == true && !fact.counts { return false }
        if let date = slots["date"], !fact.text.contains(date) { return false }
        guard let thing = slots["thing"] ?? slots["rest"], !usesThing else { return true }
        let words = Words.of(thing)
        return isOfSame(fact, words.compactMap(facts.relation))
          && ranking.covers(words.filter { !rules.fillers.contains($0) }, by: fact)
      }
      .sorted {
        ($0.importance * $0.confidence, $0.created, $0.id) > ($1.importance * $1.confidence, $1.created, $1.id)
      }
    }
    return found
  }

  /// Whose facts are asked for; nil: anybody's. Who is known by a name is meant by it, and the other way round.
  private func subjects(_ template: String, _ slots: RecallSlots, _ live: [Fact]) -> Set<String>? {
    guard template != "*" else { return nil }
    var subjects: Set<String> = []
    for one in template.split(separator: "|") {
      guard let subject = slots.filled(String(one)) else { continue }
      subjects.formUnion([subject] + (rules.also[subject] ?? []))
    }
    for fact in live where fact.kind == .people || fact.kind == .pet {
      guard fact.isNamed else { continue }
      if subjects.contains(fact.subject) {
        subjects.insert(fact.value)
      } else if subjects.contains(where: { $0.lowercased() == fact.value.lowercased() }) {
        subjects.formUnion([fact.subject, fact.value])
      }
    }
    return subjects
  }

  /// What answers a question that is in no list: the facts that have all its words.
  private func open(_ asked: AskedSentence, among live: [Fact], _ today: CivilDay, _ now: Int64) -> [Fact]? {
    let tokens = asked.sentence.tokens[asked.start...]
    let words = tokens.map(\.word)
    guard !words.contains(where: rules.doubt.contains),
      rules.open.contains(where: { asked.match($0, rules, facts, today: today) != nil }),
      !words.starts(with: ["what", "do", "i", "do"]) || words.contains("on")
    else { return nil }
    let text = words.joined(separator: " ")
    let plain = Words.of(text).filter { !rules.fillers.contains($0) }
    let scores = ranking.scores(of: live, for: text, today: today, at: now).filter { score in
      score.relevance > 0 && ranking.covers(plain, by: score.fact, named: true)
        && fits(score.fact, words.prefix(2)) && isOfSame(score.fact, askedIn: words)
    }
    guard let best = scores.first else { return nil }
    if scores.count == 1 || best.relevance >= scores[1].relevance * Self.lead { return [best.fact] }
    let isOneKind = scores.count <= Self.mostFacts && scores.allSatisfy { $0.fact.kind == best.fact.kind }
    return isOneKind ? scores.map(\.fact) : nil
  }

  /// Whether a fact is about those who are named: a brother is near to a sister in meaning, and somebody else.
  private func isOfSame(_ fact: Fact, askedIn words: [String]) -> Bool {
    let named = words.indices.filter { words[..<$0].suffix(2).contains { $0 == "my" || $0 == "our" } }
    return isOfSame(fact, named.compactMap { facts.relation(words[$0]) })
  }

  private func isOfSame(_ fact: Fact, _ relations: [String]) -> Bool {
    let told = Set(Words.of(fact.text).map { facts.relation($0) ?? $0 })
    return relations.allSatisfy { relation in
      ([relation] + (rules.also[relation] ?? [])).contains { $0 == fact.subject || told.contains($0) }
    }
  }

  /// Whether a fact can be what such a question asks for: a place for "where", a number for "how many".
  private func fits(_ fact: Fact, _ head: ArraySlice<String>) -> Bool {
    let text = fact.text.split(separator: " ").map { $0.lowercased() }
    func has(_ some: Set<String>) -> Bool { text.contains { some.contains($0) } }
    switch head.first {
    case "who": return fact.kind == .people || fact.kind == .pet
    case "where":
      let isElsewhere = [.event, .likes, .dislikes, .pet, .wish].contains(fact.kind)
      return fact.kind == .place || !isElsewhere && has(["in", "at", "near", "on", "under", "behind", "from"])
    case "when": return fact.kind == .event || fact.kind == .birthday || fact.counts || has(["at", "every"])
    case "how":
      switch head.last {
      case "many", "much": return fact.counts
      case "old": return fact.kind == .age
      default: return true
      }
    default: return true
    }
  }
}

extension Fact {
  /// Whether its value is a name.
  fileprivate var isNamed: Bool { value.first?.isUppercase == true }

  /// Whether it tells a number.
  fileprivate var counts: Bool {
    text.split(separator: " ").contains { Numbers.read($0.lowercased()) != nil || $0.contains(where: \.isNumber) }
  }
}
