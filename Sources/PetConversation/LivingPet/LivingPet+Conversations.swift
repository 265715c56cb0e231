// SPDX-License-Identifier: Apache-2.0
import PetCompanion

/// What belongs to one conversation with a pet and to no other.
extension LivingPet {
  /// As long as the pet is here.
  struct Conversation: Sendable {
    /// The person's lines.
    var heard: [String] = []
    /// Of them, those that asked for what it remembers, or did.
    var asked: [String] = []
    /// Of them, those behind the line that took back the last false alarm.
    var linesOfDanger: [String] = []
    var hasHeardOfDanger = false
    /// Whether danger was minded closely when the last line came.
    var isBesideDanger = false
    /// What is minded here since before anything was heard: it goes on from an earlier visit, whose lines of danger are kept nowhere.
    var goesOnFrom: DangerKind?
    /// Whether it has just asked if it shall forget everything.
    var hasOfferedToForget = false
    /// The memories that came with each of the last turns.
    var lastTold: [[Int64]] = []
    /// What its last reply told from memory.
    var lastRecalled: [Int64] = []
    /// What is being played, or told, and how many lines were about something else since.
    var pastime: (game: Pastime, missed: Int)?
    /// Of one that is written nowhere.
    var safety = SafetyState()
  }

  /// What a turn that never was gives back.
  struct Minding: Sendable {
    let state: SafetyState
    let lines: [String]
    let goesOnFrom: DangerKind?
  }

  func minding(_ state: SafetyState, in key: ConversationKey) -> Minding {
    let own = conversations[key]
    return Minding(state: state, lines: own?.linesOfDanger ?? [], goesOnFrom: own?.goesOnFrom)
  }

  func heard(in key: ConversationKey) -> [String] { conversations[key]?.heard ?? [] }

  /// The lines before the next, as far as it matters whether that tells of danger.
  func linesOfDanger(in key: ConversationKey) -> [String] {
    let heard = conversations[key]?.linesOfDanger ?? []
    let state = safety(in: key)
    if heard.isEmpty, state.isWatching {
      conversations[key, default: Conversation()].goesOnFrom = state.watched
    }
    // A line of the same kind stands for what was told.
    guard state.isWatching, let kind = conversations[key]?.goesOnFrom else { return heard }
    return [kind.plainly] + heard
  }

  func safety(in key: ConversationKey) -> SafetyState {
    switch key {
    case .unnamed: record.safety
    case .named(let name): record.watches[name] ?? SafetyState()
    case .passing: conversations[key]?.safety ?? SafetyState()
    }
  }

  func setSafety(_ state: SafetyState, in key: ConversationKey) {
    switch key {
    case .unnamed: record.safety = state
    case .named(let name): record.setWatch(state, of: name)
    case .passing: conversations[key, default: Conversation()].safety = state
    }
  }

  func isWatching(_ key: ConversationKey) -> Bool { safety(in: key).isWatching }

  /// Whether danger is minded closely in any conversation.
  var isWatchingAny: Bool {
    record.safety.isWatching || record.watches.values.contains(where: \.isWatching)
      || conversations.values.contains(where: \.safety.isWatching)
  }

  /// What is counted of a conversation that is written nowhere is counted for as long as the pet is here.
  func count(in key: ConversationKey, _ body: (inout SafetyCounters) -> Void) {
    body(&counters)
    if key.isWritten { body(&record.counters) }
  }

  /// Whether the last line of a conversation told of danger, or is one of the `SafetyState.turnsWatched` lines behind one that did.
  package func isNearDanger(_ key: ConversationKey) -> Bool {
    isWatching(key) || conversations[key]?.isBesideDanger == true
  }

  /// Whether the words of the turn that has ended are written nowhere: near danger all are, and later in the conversation those
  /// that may tell of it.
  func isUnwritten(_ turn: PetTurn, _ reply: Reply) -> Bool {
    if isNearDanger(turn.conversation) { return true }
    guard conversations[turn.conversation]?.hasHeardOfDanger == true else { return false }
    return [turn.message, reply.text].contains { detector.mayTellOfDanger($0, profile: settings.safety) }
  }

  /// A conversation is over: nothing of how closely danger was minded in it goes on to another.
  /// - Throws: `PetStateFileError`, `FileError`; it is over all the same.
  public func end(_ key: ConversationKey) throws {
    let wasWatching = isWatching(key)
    setSafety(SafetyState(), in: key)
    conversations[key] = nil
    if wasWatching, key.isWritten { try home?.saveErasing(record) }
  }
}
