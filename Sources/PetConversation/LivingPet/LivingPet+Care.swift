// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetRuntime
import PetMemory

extension LivingPet {
  /// Feeds it, plays with it, lets it rest, pets or cleans it.
  /// - Parameter gift: what it is fed.
  /// - Throws: `PetStateFileError`; what was done counts all the same.
  public func care(_ action: CareAction, with gift: CareGift? = nil) throws -> (result: CareResult, reply: Reply) {
    // What tells of danger is not named.
    let gift = gift.flatMap { gift in (try? refuseDanger(in: gift.name)).map { gift } }
    let result = record.life.care(action, at: now(), drift: drift)
    record.initiative.hear(at: now().seconds)
    turnCount += 1
    let line = CareLines.standard.line(
      for: result, gift: gift, name: persona?.name ?? "It", choice: settings.choice &+ UInt64(turnCount),
      last: said.last)
    let reply = Reply(text: line, emotion: result.emotion, actions: result.actions, isWellFormed: true)
    said = (said + [reply.text]).suffix(Self.recentLines)
    try home?.save(record)
    return (result, reply)
  }

  /// What a camera or a microphone noticed of its person.
  package func notice(_ observation: Observation) {
    let moment = now()
    perception = perception.adding(observation)
    record.life.notice(perception.influence(at: moment.seconds), at: moment, drift: drift)
  }

  /// What it says behind a reply: a break that is due, the night, or how it is with the danger that was told.
  func reminder(behind turn: PetTurn, _ rung: Rung) -> Reply? {
    let key = turn.conversation
    guard settings.mindsDanger else { return nil }
    let moment = now()
    let decision = record.breaks.note(now: Double(moment.seconds), hour: moment.hour, profile: settings.safety)
    // Nothing light is said right behind danger.
    if turn.stay == .watch(asks: true), rung != .care { return DangerReplies.standard.check(choice: turn.choice) }
    guard !isWatching(key) else { return nil }
    if turn.keptEverything { return Reply(written: WishRules.standard.line(.kept, choice: turn.choice)) }
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
    noteAbsence()
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
    let followUp = settings.initiative.isEnabled ? await self.followUp(since: facts.lastSeen, moment) : nil
    let initiative = followUp ?? Initiative.decide(facts, settings.initiative)
    let line = InitiativeLines.standard.reply(to: initiative, temperament: persona.temperament, choice: choice)
    return [line ?? persona.greeting(choice, user: user)].compactMap(\.self)
  }

  /// Who comes back after hours begins another visit.
  func noteAbsence() {
    if record.life.sinceContact >= 3 * Moment.hour { away = record.life.sinceContact }
  }

  /// What was to be since the person was last there; nothing where danger was told.
  private func followUp(since lastSeen: Int64?, _ moment: Moment) async -> Initiative? {
    guard let lastSeen, !isWatchingAny, let facts = try? await memory?.facts(at: moment.seconds, former: true) else {
      return nil
    }
    switch FollowUp.due(
      among: withoutDanger(facts.filter { [.event, .birthday].contains($0.kind) }), since: lastSeen, at: moment.seconds,
      offset: Int(moment.offset), person: Self.secondPerson)
    {
    case .event(let told): return .followUp(told)
    case .birthday: return .birthday
    case nil: return nil
    }
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
}
