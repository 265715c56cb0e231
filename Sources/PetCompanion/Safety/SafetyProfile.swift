// SPDX-License-Identifier: Apache-2.0
/// For whom a pet minds: how soon it looks closer, how long one talks before a break, when it is night.
public struct SafetyProfile: Sendable, Equatable, Codable {
  /// How likely danger must be, from 0 to 1, to be answered as one: on its own, and in the turns after danger was told.
  package struct Thresholds: Sendable, Equatable, Codable {
    package let alone: Float
    package let watching: Float

    /// Values outside 0.01...1, and what is no number, become the nearest of it; no number becomes 0.01.
    package init(alone: Float, watching: Float) {
      self.alone = Self.bounded(alone)
      self.watching = Self.bounded(watching)
    }

    /// Half way to certainty.
    var ofLongTexts: Thresholds {
      Thresholds(alone: (1 + alone) / 2, watching: (1 + watching) / 2)
    }

    private static func bounded(_ value: Float) -> Float { value.isNaN ? 0.01 : min(max(value, 0.01), 1) }
  }

  package let thresholds: Thresholds
  /// Minutes of talk without a pause after which a break is proposed.
  public let breakAfterMinutes: Int
  /// Hours of the day in which it is time to sleep, those after midnight counted on: 21..<31 ends at seven. Nil: none.
  public let quietHours: Range<Int>?
  public let isForMinors: Bool

  public static let adult = SafetyProfile(
    thresholds: Thresholds(alone: 0.75, watching: 0.6), breakAfterMinutes: 180, quietHours: nil,
    isForMinors: false)
  public static let minor = SafetyProfile(
    thresholds: Thresholds(alone: 0.65, watching: 0.5), breakAfterMinutes: 60, quietHours: 21..<31,
    isForMinors: true)

  /// Whether an hour of the day, from 0 to 23, is one of the quiet ones.
  package func isQuiet(hour: Int) -> Bool {
    guard let quietHours, (0..<24).contains(hour) else { return false }
    return quietHours.contains(hour) || quietHours.contains(hour + 24)
  }
}
