// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory

/// From a line to who answers it: facts are gathered, ``AnswerPolicy`` decides, and its decision is applied.
extension LivingPet {
  /// Decides who answers `message`: a written reply, or the model and what it is told.
  /// - Parameters:
  ///   - key: of the conversation.
  ///   - forgotten: ``timesForgotten`` when the message came; it may have waited.
  ///   - isOpening: whether the conversation begins with the message.
  func hear(
    _ message: String, in key: ConversationKey, since forgotten: Int, by model: TurnFacts.Model, isOpening: Bool
  ) async -> (decision: PetDecision, turn: PetTurn) {
    // The model then has the room.
    defer { settings.letGoOfMemory() }
    let moment = meet()
    let forgottenNow = timesForgotten
    let manner = record.life.manner(at: moment)
    let facts = facts(of: message, in: key, at: moment, manner, model, isOpening: isOpening)
    var turn = PetTurn(
      message: message, conversation: key, danger: facts.line.danger, moment: moment, number: turnCount,
      timesForgotten: forgotten, choice: choice, stay: facts.stay, watched: facts.safety.watched)
    let open = settings.open
    let first = AnswerPolicy.first(facts, open: open)
    heed(first, facts, &turn)
    if let first { return (.say(first), turn) }
    let memory = await remembered(for: &turn)
    facts.memory = memory
    if open.contains(.memory), let words = await fulfil(memory?.facts, &turn) { return (.say(words), turn) }
    conversations[key]?.lastRecalled = memory?.recalledInReply ?? []
    switch AnswerPolicy.decide(facts, open: open) {
    case .say(let words):
      if words.rung == .honesty { count(in: key) { $0.countDisclosure() } }
      return (.say(words), turn)
    case .ask(let terms):
      guard let persona else { return (.ask(nil), turn) }
      turn.told = memory?.recalled ?? []
      var brief = Brief(
        persona, manner, memories: knowledge(turn.told, at: moment), summary: summary, timesForgotten: forgottenNow)
      brief.flag = facts.line.danger.weightOfFlag(profile: settings.safety)
      brief.terms = terms
      return (.ask(brief), turn)
    }
  }

  /// What the model is to be told as things stand, before a message that asks for nothing it remembers; nil for a pet without a
  /// persona.
  func brief() -> Brief? {
    guard let persona else { return nil }
    let moment = now()
    record.life.advance(to: moment, drift: drift)
    return Brief(
      persona, record.life.manner(at: moment), memories: knowledge([], at: moment), summary: summary,
      timesForgotten: timesForgotten)
  }

  /// Its person is there, and another turn begins.
  private func meet() -> Moment {
    let moment = now()
    record.life.advance(to: moment, drift: drift)
    noteAbsence()
    record.life.meet(at: moment, drift: drift)
    record.initiative.hear(at: moment.seconds)
    turnCount += 1
    return moment
  }

  private func facts(
    of message: String, in key: ConversationKey, at moment: Moment, _ manner: PetManner, _ model: TurnFacts.Model,
    isOpening: Bool
  ) -> TurnFacts {
    let safety = safety(in: key)
    let line = TurnFacts.Line(
      message, after: heard(in: key),
      danger: detector.reading(of: message, after: linesOfDanger(in: key), closely: safety.isWatching), safety: safety,
      isOpening: isOpening, asked: Set(conversations[key]?.asked ?? []))
    var pet = TurnFacts.Pet(persona, name: name, manner)
    (pet.given, pet.said, pet.exchanges) = (given, said, bankAnswers)
    (pet.hasReflected, pet.choice) = (lastReflection == turnCount - 1, choice)
    pet.pastime = conversations[key]?.pastime?.game
    (pet.day, pet.daysAway) = (moment.dayNumber, Int(away / Moment.day))
    return TurnFacts(line, pet, model, care: care)
  }

  /// Notes how closely danger is minded from this line on, and what is said for it.
  private func heed(_ first: WrittenReply?, _ facts: TurnFacts, _ turn: inout PetTurn) {
    let key = turn.conversation
    conversations[key, default: Conversation()].isBesideDanger = facts.line.safety.isWatching
    // A conversation that goes on may hold what was told before.
    if facts.line.safety.isWatching || first?.rung == .care {
      conversations[key, default: Conversation()].hasHeardOfDanger = true
    }
    let before = minding(facts.line.safety, in: key)
    setSafety(facts.safety, in: key)
    if facts.stay.takesBack {
      turn.takenBack = facts.line.safety.written
      // What was no danger makes no later line one.
      conversations[key]?.linesOfDanger = []
      conversations[key]?.goesOnFrom = nil
    }
    if first?.rung == .care {
      count(in: key) { $0.count(facts.stay) }
    } else {
      if first?.rung == .honesty { count(in: key) { $0.countDisclosure() } }
      turn.calmed = (before, facts.safety)
    }
  }

  /// Nil for a pet that remembers nothing. Who cannot look anything up can still talk.
  private func remembered(for turn: inout PetTurn) async -> RememberedLine? {
    guard let memory else { return nil }
    do {
      return RememberedLine(try await memory.facts(at: turn.moment.seconds), of: self, for: turn)
    } catch {
      turn.failure = error
      return RememberedLine(nil, of: self, for: turn)
    }
  }

  private func knowledge(_ told: [Fact], at moment: Moment) -> [String] {
    given.map(\.text) + told.map(\.text) + [perception.line(at: moment.seconds)].compactMap(\.self)
  }
}
