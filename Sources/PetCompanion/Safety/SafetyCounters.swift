// SPDX-License-Identifier: Apache-2.0
/// How often each kind of care was taken; no words are kept.
package struct SafetyCounters: Sendable, Equatable, Codable {
  package private(set) var dangers: [Danger: Int] = [:]
  package private(set) var sources: [DangerFinding.Source: Int] = [:]
  /// Replies of a model that were not shown.
  package private(set) var replaced: [ReplyCheck.Reason: Int] = [:]
  /// Times it said what it is: that it is an AI, what it may not tell, that it stays who it is.
  package private(set) var disclosures = 0
  package private(set) var breaks = 0

  package init() {}

  package mutating func count(_ finding: DangerFinding) {
    Self.add(&dangers[finding.danger, default: 0])
    Self.add(&sources[finding.source, default: 0])
  }

  /// A danger that a model's flag told of.
  package mutating func countFlag(_ danger: Danger) { Self.add(&dangers[danger, default: 0]) }

  package mutating func count(_ reason: ReplyCheck.Reason) { Self.add(&replaced[reason, default: 0]) }
  package mutating func countDisclosure() { Self.add(&disclosures) }
  package mutating func countBreak() { Self.add(&breaks) }

  /// Stays at the greatest number there is.
  private static func add(_ counter: inout Int) { counter = counter == .max ? .max : counter + 1 }
}
