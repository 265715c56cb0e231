// SPDX-License-Identifier: Apache-2.0
/// When a pet proposes a break, and says that it is night. Takes the time as it is told, whatever the clock does.
package struct BreakReminder: Sendable, Equatable, Codable {
  package enum Decision: Sendable, Equatable {
    case none
    case takeBreak
    case night
  }

  /// Who was silent for so many minutes has had a break.
  package static let pause = 20.0
  /// Who goes on at night is told again after so many minutes.
  package static let nightInterval = 30.0

  /// In seconds, of the clock of ``note(now:hour:profile:)``.
  private var began: Double?
  private var last: Double?
  private var toldOfNight: Double?

  package init() {}

  /// A turn of the person.
  /// - Parameters:
  ///   - now: seconds, of any clock that goes on between turns and across restarts.
  ///   - hour: of the person's day, 0 to 23; nil where it is not known.
  package mutating func note(now: Double, hour: Int?, profile: SafetyProfile) -> Decision {
    guard now.isFinite else { return .none }
    if let last, now >= last, now - last < Self.pause * 60 {
      // The talk goes on.
    } else {
      began = now
    }
    last = now
    if let hour, profile.isQuiet(hour: hour) {
      let isSoon = toldOfNight.map { now >= $0 && now - $0 < Self.nightInterval * 60 } ?? false
      if isSoon { return .none }
      toldOfNight = now
      return .night
    }
    guard let began, now - began >= Double(max(1, profile.breakAfterMinutes)) * 60 else { return .none }
    self.began = now
    return .takeBreak
  }
}
