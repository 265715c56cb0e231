// SPDX-License-Identifier: Apache-2.0
/// What is worth telling of what the sources see.
package struct PressureTracker: Sendable, Equatable {
  /// Ticks without a sign of pressure after which it is over.
  package static let quietTicks = 5

  package private(set) var level = MemoryPressureLevel.normal
  private var quiet = 0

  package init() {}

  /// Something happened: told each time, for what was given up then was not enough. Kernels limit how often.
  package mutating func observe(event: MemoryPressureLevel) -> MemoryPressureLevel? {
    quiet = 0
    guard event > .normal else { return nil }
    level = event
    return event
  }

  /// Time passed, with so much memory left: told when it is worse than what was told, and when it is over.
  package mutating func observe(tick: MemoryPressureLevel) -> MemoryPressureLevel? {
    guard tick == .normal else {
      quiet = 0
      guard tick > level else { return nil }
      level = tick
      return tick
    }
    guard level > .normal else { return nil }
    quiet += 1
    guard quiet >= Self.quietTicks else { return nil }
    quiet = 0
    level = .normal
    return .normal
  }
}
