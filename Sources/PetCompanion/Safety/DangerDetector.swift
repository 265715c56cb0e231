/// Whether a line tells of danger, decided before any model is asked: rules, a small classifier, and what was told before.
public struct DangerDetector: Sendable {
  /// What a line tells of, and who found it.
  public struct Finding: Sendable, Equatable {
    public enum Source: String, Sendable, Codable {
      /// A rule that is certain.
      case rule
      case classifier
      /// It would not have been enough on its own, but danger was told shortly before.
      case context
    }

    public let danger: Danger
    public let source: Source
    /// From 0 to 1; 1 for a rule.
    public let likelihood: Float
  }

  /// Which of its two nets a detector uses; only to measure them apart.
  package enum Nets: Sendable { case both, rules, classifier }

  private let rules: DangerRules
  private let classifier: DangerClassifier
  private let nets: Nets

  public init(rules: DangerRules = .standard, classifier: DangerClassifier = .standard) {
    self.init(rules: rules, classifier: classifier, nets: .both)
  }

  package init(rules: DangerRules = .standard, classifier: DangerClassifier = .standard, nets: Nets) {
    self.rules = rules
    self.classifier = classifier
    self.nets = nets
  }

  /// Whether anything in it is near to danger, though it may be none: nothing light is said to it.
  public func mayTellOfDanger(_ message: String, profile: SafetyProfile = .adult) -> Bool {
    let words = SafetyText.words(message)
    return rules.match(words) != nil || classifier.scores(words).danger > profile.thresholds.watching
  }

  /// Where the classifier is as sure as this that nothing tells of danger, a language model's flag is an error: of 474 lines of danger
  /// none is lost by it (`Training/README.md`).
  static let leastSign: Float = 0.02

  /// What a language model's flag says of danger in `message`, beside what the classifier sees in it, alone or behind the person's lines
  /// before it.
  public func weightOfFlag(
    on message: String, after earlier: [String], profile: SafetyProfile = .adult
  ) -> FlagWeight {
    let words = SafetyText.words(message)
    let likelihood = max(
      classifier.scores(words, before: Self.before(earlier)).danger, classifier.scores(words).danger)
    guard rules.match(words) != nil || likelihood > Self.leastSign else { return .nothing }
    let thresholds = Self.thresholds(profile, for: words)
    // A flag is more than a hint.
    let threshold = 0.875 * min(thresholds.hinted, thresholds.alone)
    return FlagWeight(classifier: likelihood, threshold: threshold)
  }

  private static func before(_ earlier: [String]) -> [String] {
    SafetyText.words(earlier.suffix(2).joined(separator: " . "))
  }

  /// The greatest of many windows is great by chance more often.
  private static func thresholds(_ profile: SafetyProfile, for words: [String]) -> SafetyProfile.Thresholds {
    words.count > WordClassifier.window ? profile.thresholds.ofLongTexts : profile.thresholds
  }

  /// Judges `message`.
  /// - Parameters:
  ///   - earlier: the person's lines before it, oldest first; the last two are looked at.
  ///   - state: as it is after the line before; give it this finding with ``SafetyState/note(_:)``.
  /// - Returns: nil where nothing tells of danger.
  ///
  /// Complexity: linear in the message, of which at most 8192 characters are looked at.
  public func finding(
    in message: String, after earlier: [String] = [], state: SafetyState = SafetyState(),
    profile: SafetyProfile = .adult
  ) -> Finding? {
    if nets != .classifier, let danger = rules.mark(in: message) {
      return Finding(danger: danger, source: .rule, likelihood: 1)
    }
    let words = SafetyText.words(message)
    guard !words.isEmpty else { return nil }
    let match = nets == .classifier ? nil : rules.match(words)
    if let match, match.strength == .certain { return Finding(danger: match.danger, source: .rule, likelihood: 1) }
    guard nets != .rules else { return nil }
    let scores = classifier.scores(words, before: Self.before(earlier))
    let thresholds = Self.thresholds(profile, for: words)
    if scores.danger > (match == nil ? thresholds.alone : min(thresholds.hinted, thresholds.alone)) {
      return Finding(danger: scores.likeliest, source: .classifier, likelihood: scores.danger)
    }
    guard let watched = state.watched, scores.danger > thresholds.watching else { return nil }
    return Finding(danger: watched, source: .context, likelihood: scores.danger)
  }
}
