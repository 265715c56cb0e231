// SPDX-License-Identifier: Apache-2.0
/// Who tells of danger is answered by hand-written words with the numbers of their country.
package struct CareRung: Sendable {
  package let profile: SafetyProfile
  /// As of `CrisisResources`; nil: words that hold anywhere.
  let region: String?
  private let choice: UInt64
  /// False: every line is left to the model.
  private let isMinding: Bool

  package init(_ profile: SafetyProfile, region: String?, choice: UInt64 = 0, isMinding: Bool = true) {
    (self.profile, self.region, self.choice, self.isMinding) = (profile, region, choice, isMinding)
  }

  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    facts.finding.map { WrittenReply(.care, facts.care.reply(to: $0.danger, facts.line.safety)) }
  }

  /// - Parameter safety: how closely danger was minded before; what was told long ago is not what this goes on from.
  package func reply(to danger: Danger, _ safety: SafetyState) -> Reply {
    DangerReplies.standard.reply(
      to: danger, before: safety.isWatching ? safety.told[danger] ?? 0 : 0, choice: choice, region: region,
      isForMinors: profile.isForMinors)
  }

  func safety(after safety: SafetyState, _ finding: DangerFinding?) -> SafetyState {
    var safety = safety
    if isMinding { safety.note(finding?.danger) }
    return safety
  }
}
