// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory
import PetRuntime
import PetText

/// What stays of a turn that has come to its end, and of turns that the model no longer sees.
extension LivingPet {
  /// A turn came to its end. Where something was forgotten meanwhile, nothing of the turn is kept: it may speak of it.
  /// - Returns: why not all of it is kept, `MemoryError` or `PetStateFileError`; what the pet says behind it; and whether the words of the turn are
  ///   written nowhere.
  func finish(
    _ turn: PetTurn, _ outcome: TurnOutcome
  ) async -> (failure: (any Error)?, reminder: Reply?, isUnwritten: Bool) {
    await changes.begin()
    defer { changes.end() }
    shares.count(outcome.answer.rung)
    if let reason = outcome.refused { count(in: turn.conversation) { $0.count(reason) } }
    var failure = turn.failure
    do { try home?.save(record) } catch { failure = failure ?? error }
    if turn.timesForgotten == timesForgotten {
      note(outcome, of: turn)
      if !turn.told.isEmpty {
        do { try await memory?.use(turn.told.map(\.id), at: turn.moment.seconds) } catch { failure = failure ?? error }
      }
      // A move in a game tells nothing of the person.
      let isMove = outcome.answer.rung == .game
      do { if !isMove { try await learn(from: turn, outcome) } } catch { failure = failure ?? error }
    }
    readAhead(at: turn.moment)
    return (failure, reminder(behind: turn, outcome.answer.rung), isUnwritten(turn, outcome.answer.reply))
  }

  /// Behind a turn what is remembered is read, so that nobody who asks for it waits.
  private func readAhead(at moment: Moment) {
    guard let memory, vectors.beginReadingAhead() else { return }
    // It holds no pet: one that is let go is gone at once, and another may open its folder.
    Task.detached(priority: .background) { [vectors] in
      let facts = (try? await memory.facts(at: moment.seconds)) ?? []
      await AnswerSelector.standard.readAhead(facts.map(\.statement), into: vectors)
      vectors.endReadingAhead()
    }
  }

  /// A game goes on, or is forgotten over other things.
  private func notePastime(_ change: PastimeChange?, in key: ConversationKey) {
    switch change {
    case .goesOn(let game): conversations[key, default: Conversation()].pastime = (game, 0)
    case .ends: conversations[key]?.pastime = nil
    case nil:
      guard let (game, missed) = conversations[key]?.pastime else { return }
      let goesOn = missed < Self.linesBesideGame && !isWatching(key)
      conversations[key]?.pastime = goesOn ? (game, missed + 1) : nil
    }
  }

  /// What was said, and the answer that is kept: not near words of danger.
  private func note(_ outcome: TurnOutcome, of turn: PetTurn) {
    notePastime(outcome.pastime, in: turn.conversation)
    let heard = heard(in: turn.conversation) + [turn.message]
    conversations[turn.conversation, default: Conversation()].heard = heard.suffix(Self.recentLines)
    if Self.answersOfMemory.contains(outcome.answer.rung) {
      let asked = (conversations[turn.conversation]?.asked ?? []) + [turn.message]
      conversations[turn.conversation]?.asked = asked.suffix(Self.recentLines)
    }
    if !turn.stay.takesBack, let lines = conversations[turn.conversation]?.linesOfDanger {
      conversations[turn.conversation]?.linesOfDanger = (lines + [turn.message]).suffix(Self.recentLines)
    }
    said = (said + [outcome.answer.reply.text]).suffix(Self.recentLines)
    // No exchange's reply is said again soon.
    if let exchange = outcome.exchange { bankAnswers = (bankAnswers + [exchange]).suffix(Self.recentLines) }
    if outcome.isReflection { lastReflection = turn.number }
    if let (answer, key) = outcome.kept, !isNearDanger(turn.conversation) {
      home?.predictions?.put(answer, for: key, now: now().seconds)
    }
  }

  /// A turn never was: its reply was stopped before any of it was shown, or failed. That the person is there, and how the pet fares,
  /// stays; what another turn has changed meanwhile, too.
  func discard(_ turn: PetTurn) {
    if let calmed = turn.calmed, safety(in: turn.conversation) == calmed.after {
      setSafety(calmed.before.state, in: turn.conversation)
      conversations[turn.conversation]?.linesOfDanger = calmed.before.lines
      conversations[turn.conversation]?.goesOnFrom = calmed.before.goesOnFrom
    }
    if turnCount == turn.number { turnCount -= 1 }
  }

  /// Who gets these asked for something.
  private static let answersOfMemory: Set<Rung> = [.memory, .told, .untold, .life]

  private func learn(from turn: PetTurn, _ outcome: TurnOutcome) async throws {
    // Words of danger, and those around them, are kept nowhere.
    guard let memory, !isNearDanger(turn.conversation), !turn.danger.isGrave(profile: settings.safety),
      !turn.isWish, !Self.wishes.isMeant(turn.message, pet: persona?.name)
    else { return }
    // "Tomorrow" is counted from when it was said.
    let completed = CompletedTurn(
      said: turn.message, finished: outcome.isWhole, conversation: home?.conversation ?? "", number: turn.number,
      time: turn.moment.seconds, today: today(at: turn.moment))
    guard let completed else { return }
    // A question without its mark is no line to keep: "cousin cooks on saturday, which meat i must leave".
    let isQuestion = Self.answersOfMemory.contains(outcome.answer.rung) && turn.message.sentences.count == 1
    let told = try await memory.learn(from: completed, inWords: !isQuestion).flatMap { change -> [Int64] in
      switch change {
      case .added(let id), .renewed(let id), .superseded(_, by: let id): [id]
      case .retracted, .dropped: []
      }
    }
    let last = conversations[turn.conversation]?.lastTold ?? []
    conversations[turn.conversation, default: Conversation()].lastTold = (last + [told]).suffix(Self.turnsOfThat)
  }

  /// Of the turns that the model no longer sees.
  package var summary: String? { leftOut.text }

  /// The model loses sight of these lines.
  /// - Parameters:
  ///   - words: what it says itself of the conversation so far.
  ///   - forgotten: ``timesForgotten`` before: of what was forgotten since nothing is summed up.
  package func leaveOut(
    _ lines: [String], inWords words: String?, since forgotten: Int, in key: ConversationKey = .unnamed
  ) {
    leftOut = summary(adding: lines, inWords: words, since: forgotten, in: key)
  }

  /// What the model is to be told once it has lost sight of these lines.
  func summary(
    leavingOut lines: [String], inWords words: String?, since forgotten: Int, in key: ConversationKey
  ) -> String? {
    summary(adding: lines, inWords: words, since: forgotten, in: key).text
  }

  private func summary(
    adding lines: [String], inWords words: String?, since forgotten: Int, in key: ConversationKey
  ) -> ConversationSummary {
    // Words of danger are kept nowhere.
    guard !isWatching(key), forgotten == timesForgotten else { return leftOut }
    var longer = leftOut
    longer.add(lines.filter { detector.finding(in: $0, profile: settings.safety) == nil }, inWords: words)
    return longer
  }
}
