import PetCompanion
import PetMemory

extension LivingPet {
  /// Feeds it, plays with it, lets it rest, pets or cleans it.
  /// - Throws: `PetStateFileError`; what was done counts all the same.
  public func care(_ action: CareAction) throws -> (result: CareResult, reply: Reply) {
    let result = life.care(action, at: now(), drift: drift)
    turn += 1
    let line = CareLines.standard.line(
      for: result, name: persona?.name ?? "It", choice: settings.choice &+ UInt64(turn), last: said.last)
    let reply = Reply(text: line, emotion: result.emotion, actions: result.actions, isWellFormed: true)
    said = (said + [reply.text]).suffix(Self.recentLines)
    try home?.save(life)
    return (result, reply)
  }

  /// What a camera or a microphone noticed of its person.
  public func notice(_ observation: Observation) {
    let moment = now()
    perception = perception.adding(observation)
    life.notice(perception.influence(at: moment.seconds), at: moment, drift: drift)
  }

  /// A break that is due, or the night: what it says of it after a reply.
  func reminder() -> Reply? {
    guard settings.mindsDanger else { return nil }
    let moment = now()
    let decision = breaks.note(now: Double(moment.seconds), hour: moment.hour, profile: settings.safety)
    if decision != .none { counters.countBreak() }
    return Honesty.standard.reply(to: decision, profile: settings.safety, choice: settings.choice &+ UInt64(turn))
  }

  /// Its person has come: what it says by itself, if anything. At the first meeting, that it is an AI.
  public func arrive() -> [Reply] {
    let moment = now()
    life.advance(to: moment, drift: drift)
    let away = life.sinceContact
    defer {
      life.meet(at: moment, drift: drift)
      // What fails here is told with the first turn.
      try? home?.save(life)
    }
    guard let persona else { return [] }
    let choice = settings.choice
    if home?.hasMet() != true {
      home?.meet()
      let meeting = Reply(
        text: Honesty.standard.meeting(name: persona.name, choice: choice), emotion: .happy, isWellFormed: true)
      counters.countDisclosure()
      return [meeting] + [persona.greeting(choice)].compactMap(\.self)
    }
    let facts = InitiativeFacts(
      now: moment, lastSeen: moment.seconds.subtractingReportingOverflow(away).partialValue, isArriving: true,
      state: life.state)
    let initiative = Initiative.decide(facts, settings.initiative)
    let line = InitiativeLines.standard.reply(to: initiative, temperament: persona.temperament, choice: choice)
    return [line ?? persona.greeting(choice)].compactMap(\.self)
  }

  /// Nil where no answers are kept.
  public nonisolated var cacheStatistics: CacheStatistics? { home?.predictions?.statistics }

  /// What it remembers of its person, oldest first; empty for one that has no home.
  /// - Throws: `MemoryError`.
  public func memories() async throws -> [Fact] { try await home?.memory?.facts(at: now().seconds) ?? [] }

  /// - Throws: `MemoryError`.
  public func forget(_ id: Int64) async throws {
    told.removeAll { $0.id == id }
    try await home?.memory?.forget(id)
    // Answers that were kept may speak of it.
    try home?.predictions?.erase()
  }

  /// - Throws: `MemoryError`.
  public func edit(_ id: Int64, value: String) async throws {
    told.removeAll { $0.id == id }
    try await home?.memory?.edit(id, value: value)
    try home?.predictions?.erase()
  }

  /// Erases all that it remembers, and every answer that was kept.
  /// - Throws: `MemoryError`, `FileError`: something may then still be there.
  public func forgetEverything() async throws {
    (told, heard, said, bankAnswers, perception) = ([], [], [], [], Perception())
    // What fails keeps nothing else from being erased.
    var failure: (any Error)?
    do { try home?.predictions?.erase() } catch { failure = error }
    do { try await home?.memory?.forgetEverything() } catch { failure = failure ?? error }
    if let failure { throw failure }
  }
}
