import GRDB

extension MemoryStore {
  /// Corrections refer to what was said in one of so many turns before.
  private static let turnsOfCorrection = 3
  /// Seconds for which what holds no longer is kept: 90 days.
  private static let afterlife: Int64 = 90 * 86_400

  /// Learns what the rules find in a turn.
  /// - Returns: what changed, in the order in which it was said.
  @discardableResult
  public func learn(from turn: CompletedTurn) throws(MemoryError) -> [FactChange] {
    let last = try facts(at: turn.time).last {
      $0.source.conversation == turn.conversation && $0.source.turn <= turn.number
        && turn.number - $0.source.turn <= Self.turnsOfCorrection
    }
    return try remember(extractor.proposals(from: turn, after: last), from: turn)
  }

  /// Remembers what rules or a model propose after a turn; ``FactLedger`` decides. One transaction.
  @discardableResult
  public func remember(_ proposals: [FactProposal], from turn: CompletedTurn) throws(MemoryError) -> [FactChange] {
    guard !proposals.isEmpty else { return [] }
    return try writing { db in
      var facts = try self.all(db)
      var changes: [FactChange] = []
      for proposal in proposals {
        let source = FactSource(conversation: turn.conversation, turn: turn.number, origin: proposal.origin)
        if let change = try apply(proposal, from: source, to: &facts, at: turn.time, db) { changes.append(change) }
      }
      let stale = facts.filter { !$0.isLive(at: turn.time) && Self.isStale($0, at: turn.time) }.map(\.id)
      try delete(stale, from: &facts, db)
      let surplus = FactLedger.surplus(facts, limit: limit, at: turn.time)
      try delete(surplus, from: &facts, db)
      known?.facts = facts
      return surplus.isEmpty ? changes : changes + [.dropped(surplus)]
    }
  }

  /// Gives a fact another value, as the person wants it; the old words are erased.
  /// - Throws: ``MemoryError/noSuchFact(_:)``, ``MemoryError/emptyValue``.
  public func edit(_ id: Int64, value: String) throws(MemoryError) {
    let value = FactProposal.line(value)
    guard !value.isEmpty else { throw .emptyValue }
    try writing(erasing: true) { db in
      guard var fact = try self.all(db).first(where: { $0.id == id }) else { throw MemoryError.noSuchFact(id) }
      if !fact.value.isEmpty, let place = fact.text.firstRange(of: fact.value) {
        fact.text.replaceSubrange(place, with: value)
      } else {
        fact.text = value
      }
      fact.value = value
      fact.confidence = 1
      fact.source.origin = .person
      try FactRow.update(fact, db, database.seal)
      known = nil
    }
  }

  /// Erases a fact, and those in whose place it came.
  /// - Throws: ``MemoryError/noSuchFact(_:)``; ``MemoryError/busy(path:)`` where another program reads the file just now: the
  ///   fact is gone, but its words may stay in the log until that program ends.
  public func forget(_ id: Int64) throws(MemoryError) {
    try writing(erasing: true) { db in
      let facts = try self.all(db)
      guard facts.contains(where: { $0.id == id }) else { throw MemoryError.noSuchFact(id) }
      var gone: Set<Int64> = [id]
      // Those that came before it, which have smaller or renewed ids: until nothing is added.
      while case let more = facts.filter({ $0.supersededBy.map(gone.contains) ?? false && !gone.contains($0.id) }),
        !more.isEmpty
      { gone.formUnion(more.map(\.id)) }
      for one in gone { try db.execute(sql: "DELETE FROM fact WHERE id = ?", arguments: [one]) }
      known = nil
    }
  }

  /// Erases everything, also what was set aside because it was broken: the words are in no file afterwards.
  /// - Throws: ``MemoryError/busy(path:)`` where another program reads the file just now; try again.
  public func forgetEverything() throws(MemoryError) {
    try writing(erasing: true) { db in
      try db.execute(sql: "DELETE FROM fact; DELETE FROM sqlite_sequence WHERE name = 'fact'")
      known = nil
    }
    do {
      try database.queue.writeWithoutTransaction { db in
        try db.execute(sql: "VACUUM")
        try database.erase(db, path)
      }
    } catch {
      throw MemoryError(error, path: path)
    }
    try MemoryFile.removeAsides(of: path)
  }

  private static func isStale(_ fact: Fact, at now: Int64) -> Bool {
    let since = max(fact.lastUsed, fact.expires ?? .min)
    let (age, overflow) = now.subtractingReportingOverflow(since)
    return !overflow && age > afterlife
  }

  private func delete(_ ids: [Int64], from facts: inout [Fact], _ db: Database) throws {
    guard !ids.isEmpty else { return }
    for id in ids { try db.execute(sql: "DELETE FROM fact WHERE id = ?", arguments: [id]) }
    facts.removeAll { ids.contains($0.id) }
  }

  private func apply(
    _ proposal: FactProposal, from source: FactSource, to facts: inout [Fact], at now: Int64, _ db: Database
  ) throws -> FactChange? {
    func update(_ ids: [Int64], _ change: (inout Fact) -> Void) throws {
      for index in facts.indices where ids.contains(facts[index].id) {
        change(&facts[index])
        try FactRow.update(facts[index], db, database.seal)
      }
    }
    switch FactLedger.decide(proposal, among: facts, at: now) {
    case .ignore:
      return nil
    case .retract(let ids):
      try update(ids) { $0.expires = now }
      return .retracted(ids)
    case .renew(let id, let superseded):
      try update(superseded) { $0.supersededBy = id }
      try update([id]) { $0.renew(proposal, from: source, at: now) }
      return superseded.isEmpty ? .renewed(id) : .superseded(superseded, by: id)
    case .add(let superseded):
      var fact = Fact(proposal, from: source, at: now)
      fact.id = try FactRow.insert(fact, db, database.seal)
      facts.append(fact)
      try update(superseded) { $0.supersededBy = fact.id }
      return superseded.isEmpty ? .added(fact.id) : .superseded(superseded, by: fact.id)
    }
  }
}
