// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory

extension LivingPet {
  /// Feeds it, plays with it, lets it rest, pets or cleans it.
  /// - Throws: `PetStateFileError`; what was done counts all the same.
  public func care(_ action: CareAction) throws -> (result: CareResult, reply: Reply) {
    let result = record.life.care(action, at: now(), drift: drift)
    record.initiative.hear(at: now().seconds)
    turnCount += 1
    let line = CareLines.standard.line(
      for: result, name: persona?.name ?? "It", choice: settings.choice &+ UInt64(turnCount), last: said.last)
    let reply = Reply(text: line, emotion: result.emotion, actions: result.actions, isWellFormed: true)
    said = (said + [reply.text]).suffix(Self.recentLines)
    try home?.save(record)
    return (result, reply)
  }

  /// What a camera or a microphone noticed of its person.
  public func notice(_ observation: Observation) {
    let moment = now()
    perception = perception.adding(observation)
    record.life.notice(perception.influence(at: moment.seconds), at: moment, drift: drift)
  }

  /// A break that is due, or the night: what it says of it after a reply.
  func reminder(in key: ConversationKey) -> Reply? {
    guard settings.mindsDanger else { return nil }
    let moment = now()
    let decision = record.breaks.note(now: Double(moment.seconds), hour: moment.hour, profile: settings.safety)
    // Nothing light is said right behind danger.
    guard !isWatching(key) else { return nil }
    if decision != .none { count(in: key) { $0.countBreak() } }
    return Honesty.standard.reply(to: decision, profile: settings.safety, choice: settings.choice &+ UInt64(turnCount))
  }

  /// Its person has come: what it says by itself, if anything. At the first meeting, that it is an AI; nothing light where danger
  /// was told shortly before.
  public func arrive(in key: ConversationKey = .unnamed) async -> [Reply] {
    let moment = now()
    let user = await nameOfUser(at: moment)
    record.life.advance(to: moment, drift: drift)
    let away = record.life.sinceContact
    defer {
      record.life.meet(at: moment, drift: drift)
      // What fails here is told with the first turn.
      try? home?.save(record)
    }
    guard let persona else { return [] }
    let choice = settings.choice
    if home?.hasMet() != true {
      home?.meet()
      let meeting = Reply(
        text: Honesty.standard.meeting(name: persona.name, choice: choice), emotion: .happy, isWellFormed: true)
      count(in: key) { $0.countDisclosure() }
      let greeting = isWatching(key) ? nil : persona.greeting(choice, user: user)
      return [meeting] + [greeting].compactMap(\.self)
    }
    guard !isWatching(key) else { return [] }
    let facts = InitiativeFacts(
      now: moment, lastSeen: moment.seconds.subtractingReportingOverflow(away).partialValue, isArriving: true,
      state: record.life.state)
    let initiative = Initiative.decide(facts, settings.initiative)
    let line = InitiativeLines.standard.reply(to: initiative, temperament: persona.temperament, choice: choice)
    return [line ?? persona.greeting(choice, user: user)].compactMap(\.self)
  }

  /// As its person told it; where that cannot be looked up the pet greets them all the same.
  private func nameOfUser(at moment: Moment) async -> String? {
    let facts = try? await memory?.facts(at: moment.seconds)
    return facts?.last { $0.kind == .name && $0.subject == "user" && $0.topic.isEmpty }?.value
  }

  /// Nobody has said anything for a while: what it says by itself, if anything, and when to ask again at the latest.
  /// - Returns: seconds until then; nil: when something has happened.
  public func speakFirst() -> (reply: Reply?, again: Int64?) {
    guard let persona, !isWatchingAny else { return (nil, nil) }
    let moment = now()
    record.life.advance(to: moment, drift: drift)
    let own = record.initiative
    let facts = InitiativeFacts(
      now: moment, lastMessage: own.lastMessage, lastInitiative: own.lastInitiative, unanswered: own.unanswered,
      state: record.life.state)
    let decision = Initiative.decide(facts, settings.initiative)
    if case .nothing(let until) = decision {
      return (nil, until.map { max(1, Moment.seconds(from: moment.seconds, to: $0)) })
    }
    turnCount += 1
    let reply = InitiativeLines.standard.reply(
      to: decision, temperament: persona.temperament, choice: settings.choice &+ UInt64(turnCount), last: said.last)
    guard let reply else { return (nil, nil) }
    record.initiative.speak(at: moment.seconds)
    said = (said + [reply.text]).suffix(Self.recentLines)
    // What fails here is told with the next turn.
    try? home?.save(record)
    return (reply, settings.initiative.cooldown)
  }

  /// Nil where no answers are kept.
  public nonisolated var cacheStatistics: CacheStatistics? { home?.predictions?.statistics }

  /// What it remembers of its person, oldest first; empty for one that is only a system text.
  /// - Throws: `MemoryError`.
  public func memories() async throws -> [Fact] { try await memory?.facts(at: now().seconds) ?? [] }

  /// - Throws: `MemoryError`, `FileError`; answers that were kept are gone all the same.
  public func forget(_ id: Int64) async throws {
    await changes.begin()
    defer { changes.end() }
    var failure: (any Error)?
    do {
      // What was corrected goes with what took its place, and has no number for anybody.
      guard let memory, try await memories().contains(where: { $0.id == id }) else { throw MemoryError.noSuchFact(id) }
      try await memory.forget(id)
    } catch { failure = error }
    try letGoOfAnswers(after: failure)
  }

  /// Puts another value, or a whole sentence, in the place of a memory: see ``MemoryStore/edit(_:to:today:at:)``.
  /// - Throws: as ``forget(_:)``; ``MemoryOfDanger``.
  public func edit(_ id: Int64, value: String) async throws {
    await changes.begin()
    defer { changes.end() }
    guard let memory else { throw MemoryError.noSuchFact(id) }
    try refuseDanger(in: value)
    // A value may tell of danger only behind what it is the value of.
    if let former = try await memories().first(where: { $0.id == id }), !former.value.isEmpty {
      try refuseDanger(in: former.text.replacing(former.value, with: value))
    }
    let moment = now()
    var failure: (any Error)?
    do { try await memory.edit(id, to: value, today: today(at: moment), at: moment.seconds) } catch { failure = error }
    try letGoOfAnswers(after: failure)
  }

  /// Remembers what its person writes into the list of memories: see ``MemoryStore/add(_:today:at:)``.
  /// - Returns: the memories that came or were renewed.
  /// - Throws: as ``forget(_:)``; ``MemoryOfDanger``.
  public func remember(_ text: String) async throws -> [Fact] {
    await changes.begin()
    defer { changes.end() }
    guard let memory else { throw MemoryError.noMemory }
    try refuseDanger(in: text)
    let moment = now()
    let done = try await memory.add(text, today: today(at: moment), at: moment.seconds)
    let ids = done.flatMap { change -> [Int64] in
      switch change {
      case .added(let id), .renewed(let id), .superseded(_, by: let id): [id]
      case .retracted, .dropped: []
      }
    }
    try letGoOfAnswers(after: nil)
    return try await memory.facts(at: moment.seconds).filter { ids.contains($0.id) }
  }

  /// What a model was told, what is summed up, and answers that were kept, may speak of what is gone. It goes where that failed
  /// half-way, too: nobody can forget it again.
  private func letGoOfAnswers(after failure: (any Error)?) throws {
    forgettings.wrappingAdd(1, ordering: .sequentiallyConsistent)
    leftOut = ConversationSummary()
    var failure = failure
    do { try home?.predictions?.erase() } catch { failure = failure ?? error }
    if let failure { throw failure }
  }

  /// Erases all that it remembers, every answer and every conversation that was kept.
  /// - Throws: ``ForgettingError``: where the memories cannot be erased, nothing is.
  public func forgetEverything() async throws(ForgettingError) {
    await changes.begin()
    defer { changes.end() }
    var left: [(part: ForgettingError.Part, cause: any Error)] = []
    let key = memory?.secret
    do { try await memory?.forgetEverything() } catch {
      // With the key that it had, the memory is as it was.
      if memory?.secret == key { throw ForgettingError([(.memories, error)]) }
      left.append((.key, error))
    }
    // What fails from here on keeps nothing else from being erased.
    // Nothing is awaited from here on: what a turn that is under way leaves behind is gone with the rest, or refused.
    (conversations, said, bankAnswers, perception) = ([:], [], [], Perception())
    record.forget()
    counters = record.counters
    do { try home?.resealAnswers() } catch { left.append((.answers, error)) }
    do { try letGoOfAnswers(after: nil) } catch { left.append((.answers, error)) }
    do { try home?.eraseConversations() } catch { left.append((.conversations, error)) }
    do { try home?.eraseAsides() } catch { left.append((.asides, error)) }
    do { try home?.saveErasing(record) } catch { left.append((.state, error)) }
    if !left.isEmpty { throw ForgettingError(left) }
  }
}
