// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// What one word can be said of a face.
public enum ExpressionLabel: String, CaseIterable, Sendable, Codable {
  case angry, disgusted, fearful, happy, neutral, sad, surprised
  /// Angry, disgusted, fearful or sad; only said where there are three classes.
  case distressed

  /// The labels of a quality: 7, 5 and 3.
  public static func labels(_ quality: ModelQuality) -> [ExpressionLabel] {
    switch quality {
    case .high: [.angry, .disgusted, .fearful, .happy, .neutral, .sad, .surprised]
    case .medium: [.angry, .happy, .neutral, .sad, .surprised]
    case .low: [.distressed, .happy, .neutral]
    }
  }

  /// What a label of the seven is called where there are fewer. With five, the two that are rarest and most often taken for
  /// another go to what they are taken for: disgust to anger, fear to surprise. With three, surprise counts as neutral: it
  /// may be a good or a bad one.
  package func merged(_ quality: ModelQuality) -> ExpressionLabel {
    switch (quality, self) {
    case (.medium, .disgusted): .angry
    case (.medium, .fearful): .surprised
    case (.low, .angry), (.low, .disgusted), (.low, .fearful), (.low, .sad): .distressed
    case (.low, .surprised): .neutral
    default: self
    }
  }
}
