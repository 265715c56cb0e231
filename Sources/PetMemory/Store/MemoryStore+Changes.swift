// SPDX-License-Identifier: Apache-2.0
extension MemoryStore {
  /// Corrections refer to what was said in one of so many turns before.
  private static let turnsOfCorrection = 3
  /// Seconds for which what holds no longer is kept: 90 days.
  private static let afterlife: Int64 = 90 * 86_400

  /// Learns what the rules find in a turn.
  /// - Parameter inWords: whether lines are kept in the person's own words, too, where no rule reads all of them.
  /// - Returns: what changed, in the order in which it was said.
  @discardableResult
  package func learn(from turn: CompletedTurn, inWords: Bool = false) throws(MemoryError) -> [FactChange] {
    let known = try facts(at: turn.time)
    let recent = known.filter {
      let (turns, overflow) = turn.number.subtractingReportingOverflow($0.source.turn)
      return $0.source.conversation == turn.conversation && !overflow && (0...Self.turnsOfCorrection).contains(turns)
    }
    // Not the newest: what was known may have been said again since.
    let last = recent.filter { $0.kind != .said }.max { ($0.source.turn, $0.id) < ($1.source.turn, $1.id) }
    // What is wrong with others is theirs.
    let proposals = extractor.proposals(from: turn, after: last).filter { proposal in
      proposal.subject == "user" || extractor.rules.ailments.isDisjoint(with: Words.of(proposal.text))
    }
    guard inWords else { return try remember(proposals, from: turn) }
    let lines = SaidLines(extractor, ranking).proposals(from: turn, among: known, understood: proposals.count)
    return try remember(proposals + lines, from: turn)
  }

  /// Remembers what rules or a model propose after a turn; ``FactLedger`` decides. One transaction.
  @discardableResult
  package func remember(_ proposals: [FactProposal], from turn: CompletedTurn) throws(MemoryError) -> [FactChange] {
    guard !proposals.isEmpty else { return [] }
    return try writing {
      var facts = try all()
      var changes: [FactChange] = []
      for proposal in proposals {
        let source = FactSource(conversation: turn.conversation, turn: turn.number, origin: proposal.origin)
        if let change = try apply(proposal, from: source, to: &facts, at: turn.time) { changes.append(change) }
      }
      let stale = facts.filter { !$0.isLive(at: turn.time) && Self.isStale($0, at: turn.time) }.map(\.id)
      try delete(stale, from: &facts)
      let said = facts.filter { $0.kind == .said }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
      try delete(said.dropLast(SaidLines.most).map(\.id), from: &facts)
      let surplus = FactLedger.surplus(facts, limit: limit, at: turn.time)
      try delete(surplus, from: &facts)
      known?.facts = facts
      return surplus.isEmpty ? changes : changes + [.dropped(surplus)]
    }
  }

  /// Puts another value, or a sentence as it would be told in talk, in the place of a fact; the old words are erased. What says
  /// otherwise holds no longer.
  /// - Returns: the fact as it is then.
  /// - Throws: ``MemoryError/noSuchFact(_:)``, also for one that holds no longer; ``MemoryError/emptyValue``,
  ///   ``MemoryError/tooLong(limit:)``, ``MemoryError/secret``, ``MemoryError/notOneFact``;
  ///   ``MemoryError/sentenceNeeded(_:)`` where the fact does not say its value as a whole.
  @discardableResult
  package func edit(_ id: Int64, to text: String, today: CivilDay, at now: Int64) throws(MemoryError) -> Fact {
    guard !FactProposal.line(text).isEmpty else { throw .emptyValue }
    guard !FactProposal.isCut(text) else { throw .tooLong(limit: FactProposal.longestText) }
    return try writing(.facts) {
      let facts = try all()
      guard var fact = facts.first(where: { $0.id == id && $0.isLive(at: now) }) else {
        throw MemoryError.noSuchFact(id)
      }
      var isSingle = false
      switch extractor.entry(text, replacing: fact, today: today, at: now) {
      case .secret: throw MemoryError.secret
      case .changes: throw MemoryError.notOneFact
      case .fact(let told):
        (fact.kind, fact.subject, fact.topic, fact.value) = (told.kind, told.subject, told.topic, told.value)
        (fact.text, fact.expires, isSingle) = (told.text, told.expires, told.isSingle)
      case .words(let value):
        guard let text = FactText.replacing(value: value, of: fact, extractor.rules) else {
          throw MemoryError.sentenceNeeded(id)
        }
        (fact.value, fact.text) = (value, text)
      }
      (fact.confidence, fact.source.origin) = (1, .person)
      let former = contradicted(by: fact, isSingle, among: facts, at: now)
      for var other in facts where former.contains(other.id) {
        other.supersededBy = id
        try FactRow.update(other, database.connection, database.seal)
      }
      try FactRow.update(fact, database.connection, database.seal)
      known = nil
      return fact
    }
  }

  /// Remembers what the person writes into the list of memories: sentences as they would be told in talk, or any words.
  /// - Returns: what changed; empty where it says nothing that still holds.
  /// - Throws: ``MemoryError/emptyValue``, ``MemoryError/tooLong(limit:)``, ``MemoryError/secret``, ``MemoryError/tellsNothing``.
  @discardableResult
  package func add(_ text: String, today: CivilDay, at now: Int64) throws(MemoryError) -> [FactChange] {
    guard !FactProposal.line(text).isEmpty else { throw .emptyValue }
    guard text.count <= Sentence.longestMessage else { throw .tooLong(limit: Sentence.longestMessage) }
    let turn = CompletedTurn(said: text, conversation: "", number: 0, time: now, today: today)
    switch extractor.entry(text, today: today, at: now) {
    case .secret: throw .secret
    case .fact(let proposal):
      try Self.requireWhole([proposal])
      return try remember([proposal], from: turn)
    case .changes(let proposals):
      try Self.requireWhole(proposals)
      return try remember(proposals, from: turn)
    case .words(let words):
      let (sentences, lines) = (Sentence.all(in: words), SaidLines(extractor, ranking))
      let isQuestion = !sentences.isEmpty && sentences.allSatisfy(lines.isQuestion)
      guard !words.hasPrefix("/"), !isQuestion else { throw .tellsNothing }
      let proposal = FactProposal(.custom, value: words, text: words, confidence: 1, importance: 0.5, origin: .person)
      guard !FactProposal.isCut(text) else { throw .tooLong(limit: FactProposal.longestText) }
      return try remember([proposal], from: turn)
    }
  }

  /// Of what would be cut nothing is kept: who writes into the list sees no cut.
  private static func requireWhole(_ proposals: [FactProposal]) throws(MemoryError) {
    guard !proposals.contains(where: \.isCut) else { throw .tooLong(limit: FactProposal.longestText) }
  }

  /// The other facts that no longer hold, or say the same.
  private func contradicted(by fact: Fact, _ isSingle: Bool, among facts: [Fact], at now: Int64) -> [Int64] {
    let proposal = FactProposal(
      fact.kind, subject: fact.subject, topic: fact.topic, value: fact.value, text: fact.text, confidence: 1,
      isSingle: isSingle, expires: fact.expires, origin: .person)
    switch FactLedger.decide(proposal, among: facts.filter { $0.id != fact.id }, at: now) {
    case .add(let superseded): return superseded
    case .renew(let same, let superseded): return [same] + superseded
    case .ignore, .retract: return []
    }
  }

  /// Erases a fact, and those in whose place it came; with a fact the line that told it, with a line what was understood of it.
  /// - Returns: what went with it.
  /// - Throws: ``MemoryError/noSuchFact(_:)``.
  /// - Complexity: O(facts): those that stay are sealed with another key.
  @discardableResult
  package func forget(_ id: Int64) throws(MemoryError) -> [Fact] {
    try writing(.facts) {
      let facts = try all()
      let own = facts.first { $0.id == id }
      let others = own.map { own in facts.filter { ranking.isSameTelling($0, own) } } ?? []
      guard try FactRow.deleteWithFormer(id, database.connection) else { throw MemoryError.noSuchFact(id) }
      for other in others { _ = try FactRow.deleteWithFormer(other.id, database.connection) }
      known = nil
      return others
    }
  }

  /// Keeps facts that are not to be spoken of.
  package func hush(_ ids: [Int64]) throws(MemoryError) {
    try writing {
      for var fact in try all() where ids.contains(fact.id) {
        fact.isQuiet = true
        try FactRow.update(fact, database.connection, database.seal)
      }
      known = nil
    }
  }

  /// Puts facts back that were forgotten, under new numbers; but for those in whose place another has come since.
  /// - Returns: those facts.
  package func restore(_ facts: [Fact], at now: Int64) throws(MemoryError) -> [Fact] {
    try writing {
      let live = try all().filter { $0.isLive(at: now) }
      let wanted = facts.filter { fact in
        !live.contains { Self.isSame($0, fact) }
      }
      let back = try wanted.map { fact in
        var fact = fact
        fact.id = try FactRow.insert(fact, database.connection, database.seal)
        return fact
      }
      known = nil
      return back
    }
  }

  /// Erases everything, also what was set aside because it was broken, and the key that all of it was sealed with.
  /// - Throws: ``MemoryError``. Where ``secret`` is as it was, nothing is erased; otherwise the former key, or what was set aside, may
  ///   still be there.
  package func forgetEverything() throws(MemoryError) {
    try writing(.everything) {
      // The highest number there was stays in `sqlite_sequence`: whoever holds one of before must never be given another fact.
      try database.connection.execute("DELETE FROM fact")
      known = nil
    }
    if !isInMemory { try MemoryFile.removeAsides(of: path) }
  }

  /// Whether both say the same, or of the same thing what has one value at a time.
  static func isSame(_ one: Fact, _ other: Fact) -> Bool {
    single.contains(one.kind) && one.kind == other.kind && one.subject == other.subject && one.topic == other.topic
      || one.text == other.text
  }

  /// Of which nobody has two.
  private static let single: Set<Fact.Kind> = [.name, .age, .birthday, .place, .favourite]

  private static func isStale(_ fact: Fact, at now: Int64) -> Bool {
    let since = max(fact.lastUsed, fact.expires ?? .min)
    let (age, overflow) = now.subtractingReportingOverflow(since)
    return !overflow && age > afterlife
  }

  private func delete(_ ids: [Int64], from facts: inout [Fact]) throws {
    guard !ids.isEmpty else { return }
    for id in ids { try FactRow.delete(id, database.connection) }
    facts.removeAll { ids.contains($0.id) }
  }

  private func apply(
    _ proposal: FactProposal, from source: FactSource, to facts: inout [Fact], at now: Int64
  ) throws -> FactChange? {
    func update(_ ids: [Int64], _ change: (inout Fact) -> Void) throws {
      for index in facts.indices where ids.contains(facts[index].id) {
        change(&facts[index])
        try FactRow.update(facts[index], database.connection, database.seal)
      }
    }
    switch FactLedger.decide(proposal, among: facts, at: now) {
    case .ignore:
      return nil
    case .retract(let ids):
      try update(ids) {
        // Not `now`: a clock that is set back must not bring it to life again.
        $0.expires = .min
        $0.lastUsed = max($0.lastUsed, now)
      }
      return .retracted(ids)
    case .renew(let id, let superseded):
      try update(superseded) { $0.supersededBy = id }
      try update([id]) { $0.renew(proposal, from: source, at: now) }
      return superseded.isEmpty ? .renewed(id) : .superseded(superseded, by: id)
    case .add(let superseded):
      var fact = Fact(proposal, from: source, at: now)
      fact.id = try FactRow.insert(fact, database.connection, database.seal)
      facts.append(fact)
      try update(superseded) { $0.supersededBy = fact.id }
      return superseded.isEmpty ? .added(fact.id) : .superseded(superseded, by: fact.id)
    }
  }
}
