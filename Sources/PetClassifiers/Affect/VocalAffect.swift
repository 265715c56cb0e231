// SPDX-License-Identifier: Apache-2.0
/// How a voice sounds. A guess from its melody, loudness and timbre, which says nothing certain about what somebody
/// feels.
public struct VocalAffect: Sendable, Equatable {
  /// What one word can be said of a voice.
  public enum Label: String, CaseIterable, Sendable, Codable {
    case calm, happy, sad, angry, fearful, neutral
  }

  /// From unpleasant (-1) to pleasant (1).
  public let valence: Float
  /// From drowsy (-1) to excited (1).
  public let arousal: Float
  /// The likeliest label, and its probability.
  public let label: Label
  public var confidence: Float { probabilities[label] ?? 0 }
  /// The label that the judgement comes to; nil where it is unclear: no label is more likely than all others together, and leads the next
  /// by at least 1/n of n labels. That is so of most voices, whose label is right about as often as its probability says: ``valence`` and
  /// ``arousal`` say more.
  public var finding: Label? { Finding.of(probabilities) }
  public var isClear: Bool { finding != nil }
  /// Of each label; they add up to 1.
  public let probabilities: [Label: Float]
  /// What it was concluded from.
  public let prosody: ProsodySummary

  package init(valence: Float, arousal: Float, probabilities: [Label: Float], prosody: ProsodySummary) {
    self.valence = valence
    self.arousal = arousal
    self.probabilities = probabilities
    self.prosody = prosody
    label = Label.allCases.max { probabilities[$0] ?? 0 < probabilities[$1] ?? 0 } ?? .neutral
  }
}

/// What can be said of a sound.
public enum VocalAffectResult: Sendable, Equatable {
  /// Too little voice to judge by: seconds of speech, and of those the voiced ones.
  case noSpeech(speechSeconds: Float, voicedSeconds: Float)
  case affect(VocalAffect)
}
