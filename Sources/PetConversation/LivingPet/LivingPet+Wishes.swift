// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory
import PetText

/// What its person wants done with memories, in plain words.
extension LivingPet {
  static let wishes = WishReader()
  private static let rules = WishRules.standard
  /// "That" is what was told in one of so many turns before.
  static let turnsOfThat = 2
  private static let longestWish = 60
  /// An answer, in bytes, that is about what was asked and no other matter.
  private static let shortAnswer = 24
  /// With one of them somebody is asked to do something, or not to: "can't stop hearing the mum" asks nobody.
  private static let wordsToAsk: Set<String> = [
    "please", "pls", "plz", "dont", "never", "you", "u", "ur", "your", "forget", "let", "lets", "no", "nothing",
    "nobody",
  ]
  private static let ranking = FactRanking()

  /// Does what a message wishes, and says so; nil where it wishes nothing.
  /// - Parameter facts: all that is remembered; nil where that could not be read.
  func fulfil(_ facts: [Fact]?, _ turn: inout PetTurn) async -> WrittenReply? {
    guard let persona, let facts else { return nil }
    let key = turn.conversation
    let isAsked = conversations[key]?.hasOfferedToForget == true
    conversations[key]?.hasOfferedToForget = false
    if isAsked, Self.wishes.isYes(turn.message, pet: persona.name) { return await forgetEverything(&turn) }
    let ids = conversations[key]?.lastTold.last { !$0.isEmpty } ?? []
    let last = facts.filter { ids.contains($0.id) }
    let wish = Self.wishes.wish(in: turn.message, among: facts, last: last, pet: persona.name)
    if isAsked, wish == nil, turn.message.utf8.count <= Self.shortAnswer,
      !AnswerLines.standard.mayAsk(FoldedText.words(turn.message))
    {
      turn.isWish = true
      return written(.kept, turn)
    }
    turn.keptEverything = isAsked && wish != .forgetEverything
    switch wish.flatMap({ inOtherWords($0, facts) }) ?? byMeaning(turn, wish, facts) ?? wish {
    case .forgetEverything:
      conversations[key, default: Conversation()].hasOfferedToForget = true
      return written(.sure, turn)
    case .forget(let found, let topic):
      return await forget(found, topic: topic, say: topic.isEmpty ? .forgotLast : .forgot, &turn)
    case .hush(let found, let topic):
      // What was understood of a line is kept as quiet as the line.
      let others = facts.filter { other in found.contains { Self.ranking.isSameTelling($0, other) } }
      do { try await memory?.hush((found + others).map(\.id)) } catch {
        turn.failure = error
        return written(.failed, turn)
      }
      turn.isWish = true
      return beside(written(.hushed, topic: topic, turn), turn)
    case .nothing(let topic, _, isHush: false, isSure: true):
      turn.isWish = true
      return beside(written(.nothing, topic: topic, turn), turn)
    case .nothing(let topic, _, isHush: true, _) where !topic.isEmpty:
      // Also of what was told in the same message, which is not learned.
      turn.isWish = true
      return written(.hushed, topic: topic, turn)
    case .nothing:
      turn.isWish = true
      return nil
    case .unclear:
      turn.isWish = true
      return beside(written(.unclear, turn), turn)
    case .takeBack:
      let ids = conversations[key]?.lastRecalled ?? []
      let found = facts.filter { ids.contains($0.id) }
      return found.isEmpty ? nil : await forget(found, topic: "", say: .wrong, &turn)
    case nil: return nil
    }
  }

  /// What is remembered of a topic in other words than it was told in: lines of the person.
  /// - Returns: nil where it may be no wish, and nothing is remembered of it.
  private func inOtherWords(_ wish: MemoryWish, _ facts: [Fact]) -> MemoryWish? {
    if case .unclear = wish { return nil }
    guard case .nothing(let topic, let words, let isHush, let isSure) = wish else { return wish }
    let lines = facts.filter { $0.kind == .said }
    let found = AnswerSelector.standard.places(about: words, in: lines.map(\.value), vectors).map { lines[$0] }
    guard !found.isEmpty else { return isSure ? wish : nil }
    return isHush ? .hush(found, topic: topic) : .forget(found, topic: topic)
  }

  /// What no rule reads as a wish, and is one by what it means.
  private func byMeaning(_ turn: PetTurn, _ known: MemoryWish?, _ facts: [Fact]) -> MemoryWish? {
    let words = FoldedText.words(turn.message)
    // Who asks for something wishes nothing forgotten; beside danger a wish must be plain.
    guard turn.watched == nil, words.count <= Self.longestWish, !AnswerLines.standard.mayAsk(words),
      !Self.wishes.asksToKeep(turn.message), !Self.rules.cues.isDisjoint(with: words)
    else { return nil }
    let read = WishClassifier.standard.wish(in: turn.message)
    let unclear = WishClassifier.Wish(kind: read?.kind ?? .forget, isSure: true)
    guard let wish = known == .unclear ? unclear : read, wish.isSure || !Self.wordsToAsk.isDisjoint(with: words) else {
      return nil
    }
    let told = facts.filter { !$0.isQuiet }
    guard let place = AnswerSelector.standard.place(meantBy: turn.message, in: told.map(\.statement), vectors) else {
      return wish.isSure ? .unclear : nil
    }
    return wish.kind == .hush ? .hush([told[place]], topic: "that") : .forget([told[place]], topic: "that")
  }

  private func forget(
    _ facts: [Fact], topic: String, say line: WishLine, _ turn: inout PetTurn
  ) async -> WrittenReply {
    turn.isWish = true
    var gone: [Fact] = []
    do {
      for fact in facts where !gone.contains(where: { $0.id == fact.id }) {
        gone += [fact] + (try await forget(fact.id))
      }
    } catch {
      turn.failure = error
      return written(.failed, turn)
    }
    forgotten.append(gone)
    turn.forgotten = .memories(gone)
    let words = ForgottenWords(gone.map(\.toldWords) + [topic])
    for key in conversations.keys {
      conversations[key]?.heard.removeAll(where: words.isIn)
      conversations[key]?.asked.removeAll(where: words.isIn)
      conversations[key]?.lastRecalled = []
      conversations[key]?.lastTold = []
    }
    said.removeAll(where: words.isIn)
    var reply = beside(written(line, topic: topic, turn), turn)
    reply.forgets = words
    return reply
  }

  /// Remembers again what a message made it forget: the last time, and from call to call those before. What has another value since stays
  /// as it is.
  /// - Returns: those memories; none where nothing was forgotten so since the pet is here.
  /// - Throws: `MemoryError`.
  public func undoForgetting() async throws -> [Fact] {
    await changes.begin()
    defer { changes.end() }
    guard let memory, let last = forgotten.last else { return [] }
    let back = try await memory.restore(last, at: now().seconds)
    if !forgotten.isEmpty { forgotten.removeLast() }
    return back
  }

  private func forgetEverything(_ turn: inout PetTurn) async -> WrittenReply {
    do { try await forgetEverything() } catch {
      turn.failure = error
      if error.isNothingForgotten { return written(.failed, turn) }
    }
    turn.forgotten = .everything
    var reply = written(.all, turn)
    reply.forgets = .all
    return reply
  }

  /// Of a message that wishes something nothing is learned: what it tells beside that is said to be lost.
  private func beside(_ reply: WrittenReply, _ turn: PetTurn) -> WrittenReply {
    guard Self.wishes.tellsMore(turn.message, pet: persona?.name) else { return reply }
    var reply = reply
    reply.reply.text += " " + Self.rules.line(.beside, choice: turn.choice)
    return reply
  }

  private func written(_ line: WishLine, topic: String = "", _ turn: PetTurn) -> WrittenReply {
    WrittenReply(.memory, Reply(written: Self.rules.line(line, topic: topic, choice: turn.choice)))
  }
}
