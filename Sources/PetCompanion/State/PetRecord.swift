/// All that is kept of a pet between two runs, beside what it remembers.
public struct PetRecord: Sendable, Equatable {
  public var life: PetLife
  /// So that one stays with a person in danger, whatever happens to the program.
  public var safety = SafetyState()
  public var breaks = BreakReminder()
  public var counters = SafetyCounters()
  public var initiative = InitiativeRecord()

  public init(_ life: PetLife) { self.life = life }

  /// What remains when everything is to be forgotten: how the pet is.
  public mutating func forget() { self = PetRecord(life) }
}

extension PetRecord: Codable {
  package enum CodingKeys: String, CodingKey { case life, safety, breaks, counters, initiative }

  /// What an earlier build did not write is as new.
  public init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    life = try stored.decode(PetLife.self, forKey: .life)
    safety = try stored.decodeIfPresent(SafetyState.self, forKey: .safety) ?? SafetyState()
    breaks = try stored.decodeIfPresent(BreakReminder.self, forKey: .breaks) ?? BreakReminder()
    counters = try stored.decodeIfPresent(SafetyCounters.self, forKey: .counters) ?? SafetyCounters()
    initiative = try stored.decodeIfPresent(InitiativeRecord.self, forKey: .initiative) ?? InitiativeRecord()
  }
}
