// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetCompanion
import PetConversation

// What a pet can make of what classifiers say. Nothing, in most moments: a feeling is only taken where the label names one.

extension Observation {
  /// Nil where nobody speaks, or mostly neutrally. Anger and fear sound alike: together they are tension. A voice is seldom sure
  /// enough to be taken by itself.
  package init?(_ result: VocalAffectResult, seconds: Int64) {
    guard case .affect(let affect) = result else { return nil }
    var feelings: [Feeling: Float] = [:]
    for (label, probability) in affect.probabilities {
      if let feeling = label.feeling { feelings[feeling, default: 0] += probability }
    }
    guard let best = feelings.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }),
      best.value > affect.probabilities[.neutral] ?? 0
    else { return nil }
    self.init(.voice, best.key, best.value, seconds)
  }

  /// Nil where there is no face, or a neutral one.
  package init?(_ result: ExpressionResult, seconds: Int64) {
    guard let expression = result.expression, let feeling = expression.label.feeling else { return nil }
    self.init(.face, feeling, expression.confidence, seconds)
  }

  /// A posture says little: who throws up both arms may be happy, who lies still may be tired; less sure than any floor for
  /// speaking of it without another sign. Nil for all others.
  package init?(_ result: PoseResult, seconds: Int64) {
    guard let pose = result.pose, let cues = result.cues else { return nil }
    switch (cues.posture, cues.raisedArms, cues.motion) {
    case (_, .both, .moving): self.init(.pose, .happy, 0.6 * pose.score, seconds)
    case (.lying, .none, .still): self.init(.pose, .tired, 0.6 * pose.score, seconds)
    default: return nil
    }
  }

  /// Nil where stress is moderate.
  package init?(_ assessment: StressAssessment, seconds: Int64) {
    switch assessment.level {
    case .low: self.init(.stress, .calm, Float(assessment.probability), seconds)
    case .moderate: return nil
    case .high: self.init(.stress, .tense, Float(assessment.probability), seconds)
    }
  }

  private init?(_ source: Source, _ feeling: Feeling, _ confidence: Float, _ seconds: Int64) {
    try? self.init(source: source, label: feeling.rawValue, confidence: Double(confidence), seconds: seconds)
  }
}

extension LivingPet {
  /// What a microphone noticed of its person, now.
  public func notice(_ result: VocalAffectResult) { notice(Observation(result, seconds: now().seconds)) }

  /// What a camera noticed of its person's face, now.
  public func notice(_ result: ExpressionResult) { notice(Observation(result, seconds: now().seconds)) }

  /// What a camera noticed of its person's body, now.
  public func notice(_ result: PoseResult) { notice(Observation(result, seconds: now().seconds)) }

  /// What its person's recent moods say, now.
  public func notice(_ assessment: StressAssessment) { notice(Observation(assessment, seconds: now().seconds)) }

  private func notice(_ observation: Observation?) {
    if let observation { notice(observation) }
  }
}

extension VocalAffect.Label {
  fileprivate var feeling: Feeling? {
    switch self {
    case .calm: .calm
    case .happy: .happy
    case .sad: .sad
    case .angry, .fearful: .tense
    case .neutral: nil
    }
  }
}

extension ExpressionLabel {
  fileprivate var feeling: Feeling? {
    switch self {
    case .angry: .angry
    case .fearful: .afraid
    case .happy: .happy
    case .sad: .sad
    case .surprised: .surprised
    // Anger, disgust, fear or sadness: which of them nobody knows.
    case .distressed: .tense
    // No feeling about the pet's person that it could name.
    case .disgusted, .neutral: nil
    }
  }
}
