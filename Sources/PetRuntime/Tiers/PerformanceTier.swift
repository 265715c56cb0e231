// SPDX-License-Identifier: Apache-2.0
/// How much a device can do.
package enum PerformanceTier: String, CaseIterable, Sendable, Codable, Comparable {
  case high, medium, low

  package static func < (left: Self, right: Self) -> Bool { left.quality < right.quality }

  /// The variants that suit a device of this tier.
  package var quality: ModelQuality {
    switch self {
    case .high: .high
    case .medium: .medium
    case .low: .low
    }
  }

  package init(_ quality: ModelQuality) {
    switch quality {
    case .high: self = .high
    case .medium: self = .medium
    case .low: self = .low
    }
  }
}
