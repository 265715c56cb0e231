// SPDX-License-Identifier: Apache-2.0
/// What rules and the small classifier see of danger in a line; what follows from it depends on what was told before, and on who listens.
package struct DangerReading: Sendable, Equatable {
  /// Where the classifier is as sure as this that nothing tells of danger, a language model's flag is an error: of the 500 lines of
  /// danger that it never learned from (`danger_blind.json`, `danger_lines.json`) none is lost by it.
  static let leastSign: Float = 0.02
  /// How likely danger must be by a flag and the classifier together, as a share of what the classifier alone must be.
  static let shareOfFlag: Float = 0.75

  /// By words or by a mark.
  let match: DangerRules.Match?
  /// Of the line alone, and behind the person's lines before it; nil where a rule is certain.
  let alone: DangerClassifier.Scores?
  let inContext: DangerClassifier.Scores?
  let wordCount: Int

  private func thresholds(_ profile: SafetyProfile) -> SafetyProfile.Thresholds {
    // The greatest of many windows is great by chance more often.
    wordCount > WordClassifier.window ? profile.thresholds.ofLongTexts : profile.thresholds
  }

  /// What the line tells of; nil where nothing tells of danger.
  /// - Parameter state: as it is after the line before; give it this finding with ``SafetyState/note(_:)``.
  package func finding(state: SafetyState = SafetyState(), profile: SafetyProfile = .adult) -> DangerFinding? {
    if let match, match.strength == .certain {
      return DangerFinding(danger: match.danger, source: .rule, likelihood: 1)
    }
    guard let inContext, wordCount > 0 else { return nil }
    let thresholds = thresholds(profile)
    if inContext.danger > (match == nil ? thresholds.alone : min(thresholds.hinted, thresholds.alone)) {
      return DangerFinding(danger: inContext.likeliest, source: .classifier, likelihood: inContext.danger)
    }
    guard let watched = state.watched, inContext.danger > thresholds.watching else { return nil }
    return DangerFinding(danger: watched, source: .context, likelihood: inContext.danger)
  }

  /// Whether anything in the line is near to danger, though it may be none: nothing light is said to it.
  package func mayTellOfDanger(profile: SafetyProfile = .adult) -> Bool {
    match != nil || (alone?.danger ?? 0) > profile.thresholds.watching
  }

  /// What a language model's flag says of danger in the line, beside what the classifier sees in it.
  package func weightOfFlag(profile: SafetyProfile = .adult) -> FlagWeight {
    if let match, match.strength == .certain { return .needless }
    // Behind what came before it a line is read best: alone, half a story sounds dark.
    let likelihood = inContext?.danger ?? 0
    guard match != nil || likelihood > Self.leastSign else { return .nothing }
    let thresholds = thresholds(profile)
    return FlagWeight(
      classifier: likelihood, threshold: Self.shareOfFlag * thresholds.alone)
  }
}
