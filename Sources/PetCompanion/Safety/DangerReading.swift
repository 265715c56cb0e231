// SPDX-License-Identifier: Apache-2.0
/// What rules and the small classifier see of danger in a line; what follows from it depends on what was told before, and on who listens.
package struct DangerReading: Sendable, Equatable {
  /// Where the classifier is as sure as this that nothing tells of danger, it knows no kind either.
  static let leastSign: Float = 0.02
  /// How likely danger must be by the classifier for what a rule or a flag tells of to be taken for somebody else's.
  static let leastOfOthers: Float = 0.5
  /// How likely danger must be beside words that may tell of it, as a share of what it must be without them.
  static let shareBesideWords: Float = 0.1
  /// How likely danger must be by a flag and the classifier together, as a share of what the classifier alone must be.
  static let shareOfFlag: Float = 0.75
  /// How likely danger must be by the classifier for a flag to have a say, and the flag then.
  static let leastBesideFlag: Float = 0.6
  static let leastFlag: Float = 0.7

  /// By words or by a mark.
  let match: DangerRules.Match?
  /// Of the line alone, and behind the person's lines before it.
  let alone: DangerClassifier.Scores?
  let inContext: DangerClassifier.Scores?
  let wordCount: Int
  var isCertain: Bool { match?.strength == .certain }

  private func thresholds(_ profile: SafetyProfile) -> SafetyProfile.Thresholds {
    // The greatest of many windows is great by chance more often.
    wordCount > WordClassifier.window ? profile.thresholds.ofLongTexts : profile.thresholds
  }

  /// What the line tells of; nil where nothing tells of danger.
  /// - Parameter state: as it is after the line before; give it what follows with ``SafetyState/note(_:)``.
  package func finding(state: SafetyState = SafetyState(), profile: SafetyProfile = .adult) -> DangerFinding? {
    if isCertain {
      return DangerFinding(match?.kind ?? kind(of: match?.danger), .rule, likelihood: likelihood, danger: match?.danger)
    }
    guard let inContext, wordCount > 0 else { return nil }
    let thresholds = thresholds(profile)
    if inContext.danger > thresholds.alone {
      return DangerFinding(kind(), .classifier, likelihood: inContext.danger)
    }
    guard let watched = state.watched, inContext.danger > thresholds.watching else { return nil }
    return DangerFinding(watched, .context, likelihood: inContext.danger)
  }

  /// The likeliest kind; of a danger that a rule or a flag tells of, among what it may stand for.
  package func kind(of danger: Danger? = nil) -> DangerKind {
    let kinds = danger?.kinds ?? DangerKind.allCases
    // Of what no network reads, the first.
    guard let inContext, inContext.danger > Self.leastSign else { return kinds.first ?? .someoneElse }
    // Whose danger it is, and how one cares for others, the networks must be sure of.
    let isSure = danger == nil || inContext.danger > Self.leastOfOthers
    let likely = kinds.filter { isSure || $0 != .someoneElse && $0 != .carer }
    return inContext.likeliest(of: likely) ?? kinds.first ?? .someoneElse
  }

  /// That the line tells of danger, by the classifier, behind those before it.
  var likelihood: Float { inContext?.danger ?? 0 }

  /// How the line follows one that was taken for danger, and how likely that is, from 0 to 1.
  func follows(_ how: AfterAlarm) -> Float { isCertain ? (how == .still ? 1 : 0) : inContext?[how] ?? 0 }

  /// Whether it says that something else was meant.
  let isDenial: Bool

  /// Whether the line would be taken for danger without the lines before it.
  func tellsByItself(profile: SafetyProfile) -> Bool {
    isCertain || wordCount > 0 && (alone?.danger ?? 0) > thresholds(profile).alone
  }

  /// What the line would be taken for without the lines before it, and how likely danger is; nil where no network reads it.
  var itself: (kind: DangerKind, likelihood: Float)? {
    guard let alone else { return nil }
    let kinds = isCertain ? match?.kind.map { [$0] } ?? match?.danger.kinds : nil
    return alone.likeliest(of: kinds ?? DangerKind.allCases).map { ($0, alone.danger) }
  }

  /// Whether anything in the line is near to danger, though it may be none: nothing light is said to it.
  package func mayTellOfDanger(profile: SafetyProfile = .adult) -> Bool {
    match != nil || (alone?.danger ?? 0) > profile.thresholds.watching
  }

  /// Whether what the line tells is too grave to be remembered, or to be said again. Words that stand in many harmless lines too, as
  /// "swallowed" does, count only beside some likelihood.
  package func isGrave(profile: SafetyProfile = .adult) -> Bool {
    let likelihood = max(alone?.danger ?? 0, inContext?.danger ?? 0)
    return isCertain || likelihood > profile.thresholds.watching * (match == nil ? 1 : Self.shareBesideWords)
  }

  /// What a language model's flag says of danger in the line, beside what the classifier sees in it.
  package func weightOfFlag(profile: SafetyProfile = .adult) -> FlagWeight {
    if isCertain { return .needless }
    // Behind what came before it a line is read best: alone, half a story sounds dark.
    let likelihood = inContext?.danger ?? 0
    // Of letters that it does not know it says nothing.
    guard wordCount == 0 || likelihood > Self.leastBesideFlag else { return .nothing }
    let thresholds = thresholds(profile)
    let weight = FlagWeight(classifier: likelihood, threshold: Self.shareOfFlag * thresholds.alone)
    guard case .above(let flag) = weight else { return weight }
    return .above(max(flag, Self.leastFlag))
  }
}
