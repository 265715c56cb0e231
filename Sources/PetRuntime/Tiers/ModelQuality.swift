// SPDX-License-Identifier: Apache-2.0
/// The three tiers of a model. `high` is the best and the most expensive.
public enum ModelQuality: String, CaseIterable, Sendable, Codable, Comparable {
  case high, medium, low

  public static func < (left: Self, right: Self) -> Bool { left.steps > right.steps }

  /// The next lower one; nil below `low`.
  package func degrade() -> ModelQuality? { self == .low ? nil : lowered(by: 1) }

  /// The next higher one; nil above `high`.
  package func restore() -> ModelQuality? { self == .high ? nil : (self == .low ? .medium : .high) }

  /// So many steps lower, at most down to `low`; a number below 0 is 0.
  package func lowered(by count: Int) -> ModelQuality {
    switch steps + min(max(count, 0), 2) {
    case 0: .high
    case 1: .medium
    default: .low
    }
  }

  /// Steps below `high`.
  private var steps: Int {
    switch self {
    case .high: 0
    case .medium: 1
    case .low: 2
    }
  }
}
