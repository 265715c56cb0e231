// SPDX-License-Identifier: Apache-2.0
/// How often each kind of care was taken; no words are kept.
package struct SafetyCounters: Sendable, Equatable, Codable {
  package private(set) var dangers: [Danger: Int] = [:]
  /// Lines that told of each kind.
  package private(set) var kinds: [DangerKind: Int] = [:]
  package private(set) var sources: [DangerFinding.Source: Int] = [:]
  /// Words that were written for danger, by where in it the conversation stood.
  package private(set) var stages: [SafetyEvent.Stage: Int] = [:]
  /// Replies of a model that were not shown.
  package private(set) var replaced: [ReplyCheck.Reason: Int] = [:]
  /// Times it said what it is: that it is an AI, what it may not tell, that it stays who it is.
  package private(set) var disclosures = 0
  package private(set) var breaks = 0

  package init() {}

  package mutating func count(_ decision: StayDecision) {
    if let danger = decision.danger { Self.add(&dangers[danger, default: 0]) }
    if let kind = decision.told { Self.add(&kinds[kind, default: 0]) }
    if case .alarm(let finding) = decision { Self.add(&sources[finding.source, default: 0]) }
    if let event = SafetyEvent(decision) { Self.add(&stages[event.stage, default: 0]) }
  }

  package mutating func count(_ reason: ReplyCheck.Reason) { Self.add(&replaced[reason, default: 0]) }
  package mutating func countDisclosure() { Self.add(&disclosures) }
  package mutating func countBreak() { Self.add(&breaks) }

  /// Stays at the greatest number there is.
  private static func add(_ counter: inout Int) { counter = counter == .max ? .max : counter + 1 }

  package init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    dangers = try stored.decode([Danger: Int].self, forKey: .dangers)
    kinds = try stored.decodeIfPresent([DangerKind: Int].self, forKey: .kinds) ?? [:]
    sources = try stored.decode([DangerFinding.Source: Int].self, forKey: .sources)
    stages = try stored.decodeIfPresent([SafetyEvent.Stage: Int].self, forKey: .stages) ?? [:]
    replaced = try stored.decode([ReplyCheck.Reason: Int].self, forKey: .replaced)
    disclosures = try stored.decode(Int.self, forKey: .disclosures)
    breaks = try stored.decode(Int.self, forKey: .breaks)
  }
}
