// SPDX-License-Identifier: Apache-2.0
/// All that is kept of a pet between two runs, beside what it remembers.
package struct PetRecord: Sendable, Equatable {
  package var life: PetLife
  /// So that one stays with a person in danger, whatever happens to the program.
  package var safety = SafetyState()
  /// The same of conversations that have names, while danger is minded closely in them.
  package private(set) var watches: [String: SafetyState] = [:]
  package var breaks = BreakReminder()
  package var counters = SafetyCounters()
  package var initiative = InitiativeRecord()

  package init(_ life: PetLife) { self.life = life }

  /// So many conversations may be watched at once.
  static let mostWatches = 16

  /// Of too many the one that was calm for longest goes.
  package mutating func setWatch(_ state: SafetyState, of conversation: String) {
    watches[conversation] = state.isWatching ? state : nil
    guard watches.count > Self.mostWatches,
      let calmest = watches.filter({ $0.key != conversation }).min(by: {
        ($0.value.turnsLeft, $0.key) < ($1.value.turnsLeft, $1.key)
      })
    else { return }
    watches[calmest.key] = nil
  }

  /// Nothing that tells of danger.
  package mutating func leaveOutDanger() { (safety, watches, counters) = (SafetyState(), [:], SafetyCounters()) }

  /// What remains when everything is to be forgotten: how the pet is.
  package mutating func forget() { self = PetRecord(life) }
}

extension PetRecord: Codable {
  package enum CodingKeys: String, CodingKey { case life, safety, watches, breaks, counters, initiative }

  /// What an earlier build did not write is as new.
  package init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    life = try stored.decode(PetLife.self, forKey: .life)
    safety = try stored.decodeIfPresent(SafetyState.self, forKey: .safety) ?? SafetyState()
    watches = try stored.decodeIfPresent([String: SafetyState].self, forKey: .watches) ?? [:]
    breaks = try stored.decodeIfPresent(BreakReminder.self, forKey: .breaks) ?? BreakReminder()
    counters = try stored.decodeIfPresent(SafetyCounters.self, forKey: .counters) ?? SafetyCounters()
    initiative = try stored.decodeIfPresent(InitiativeRecord.self, forKey: .initiative) ?? InitiativeRecord()
  }
}
