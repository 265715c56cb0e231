import PetCompanion

/// What belongs to one conversation with a pet and to no other.
extension LivingPet {
  /// As long as the pet is here.
  struct Conversation: Sendable {
    /// The person's lines.
    var heard: [String] = []
    var hasHeardOfDanger = false
    /// What is minded here since before anything was heard: it goes on from an earlier visit, whose lines of danger are kept nowhere.
    var goesOnFrom: Danger?
    /// Of one that is written nowhere.
    var safety = SafetyState()
  }

  func heard(in key: ConversationKey) -> [String] { conversations[key]?.heard ?? [] }

  /// The lines before the next, as far as it matters whether that tells of danger.
  func linesOfDanger(in key: ConversationKey) -> [String] {
    let heard = heard(in: key)
    let state = safety(in: key)
    if heard.isEmpty, state.isWatching {
      conversations[key, default: Conversation()].goesOnFrom = state.watched
    }
    // A line of the same kind stands for what was told.
    guard state.isWatching, let danger = conversations[key]?.goesOnFrom else { return heard }
    return [danger.plainly] + heard
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

  func note(_ danger: Danger?, in key: ConversationKey) {
    var state = safety(in: key)
    state.note(danger)
    setSafety(state, in: key)
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

  /// Whether a conversation may be written down: words of danger, and those around them, are kept nowhere, also once all is calm.
  public func mayKeep(_ key: ConversationKey) -> Bool { key.isWritten && !isNearDanger(key) }

  /// Whether danger was told of in a conversation, or is still minded in it.
  public func isNearDanger(_ key: ConversationKey) -> Bool {
    isWatching(key) || conversations[key]?.hasHeardOfDanger == true
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
