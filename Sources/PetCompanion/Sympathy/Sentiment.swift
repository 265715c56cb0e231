// SPDX-License-Identifier: Apache-2.0
/// What a person feels about what they tell.
package enum Sentiment: String, Sendable, CaseIterable {
  /// Somebody is dead, or gone for good.
  case loss
  /// Sadness: left alone, mocked, dismissed, let down.
  case hurt
  /// Treated unfairly, or annoyed.
  case anger
  /// Nerves, or fear.
  case worry
  /// Ill, hurting, worn out.
  case unwell
  /// Small bad luck.
  case mishap
  /// Good news.
  case joy
  /// Any of the unhappy ones: it is not clear which.
  case trouble

  package static let sorrows = allCases.filter { $0 != .joy }

  /// Those that ``IntentClassifier`` tells apart, in its order.
  static let classes = allCases.filter { $0 != .trouble }

  /// Whether a pet that shows `emotion` has not understood a sorrow.
  static func isMissed(by emotion: Emotion) -> Bool { [.happy, .excited, .playful, .proud, .hungry].contains(emotion) }

  /// Whether a pet that shows `emotion` plainly feels a sorrow with its person.
  static func isShared(by emotion: Emotion) -> Bool { [.sad, .worried, .scared, .grumpy, .loving].contains(emotion) }

  var isGrave: Bool {
    switch self {
    case .loss, .hurt, .anger, .worry, .unwell: true
    case .mishap, .joy, .trouble: false
    }
  }
}
