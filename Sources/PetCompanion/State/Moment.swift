// SPDX-License-Identifier: Apache-2.0
/// A time as a pet lives it: which second it is, and which hour of the day where its person is.
public struct Moment: Sendable, Equatable {
  /// Since 1970.
  public let seconds: Int64
  /// Of local time east of Greenwich, in seconds, from -18 to 18 hours.
  public let offset: Int64

  package static let hour: Int64 = 3600
  package static let day: Int64 = 24 * hour

  /// - Parameter offset: beyond 18 hours either way it becomes 18 hours.
  public init(seconds: Int64, offset: Int = 0) {
    self.seconds = seconds
    self.offset = Int64(min(max(offset, -18 * 3600), 18 * 3600))
  }

  /// The local second of the day, from 0.
  package var secondOfDay: Int64 { Self.secondOfDay(seconds, offset: offset) }

  /// The local day, counted from the first of 1970.
  package var dayNumber: Int {
    let local = Self.after(seconds, offset)
    return Int((local - secondOfDay) / Self.day)
  }

  /// The local hour, 0 to 23.
  package var hour: Int { Int(secondOfDay / Self.hour) }

  /// From ten in the evening to seven in the morning.
  package var isNight: Bool { NightHours.contains(secondOfDay) }

  package static func secondOfDay(_ seconds: Int64, offset: Int64) -> Int64 {
    // Remainders first: their sum cannot overflow.
    ((seconds % day + offset) % day + day) % day
  }

  /// Seconds from `earlier` to `later`, at the ends of the range where they do not fit.
  package static func seconds(from earlier: Int64, to later: Int64) -> Int64 {
    let (difference, overflow) = later.subtractingReportingOverflow(earlier)
    return overflow ? (later > earlier ? .max : .min) : difference
  }

  /// `seconds` after `moment`, at the end of the range where it does not fit.
  package static func after(_ moment: Int64, _ seconds: Int64) -> Int64 {
    let (sum, overflow) = moment.addingReportingOverflow(seconds)
    return overflow ? (seconds > 0 ? .max : .min) : sum
  }
}

/// When a pet that nobody needs is asleep.
package enum NightHours {
  package static let start = 22 * Moment.hour
  package static let end = 7 * Moment.hour

  package static func contains(_ secondOfDay: Int64) -> Bool { secondOfDay >= start || secondOfDay < end }

  /// Until night becomes day or day night.
  package static func secondsToChange(_ secondOfDay: Int64) -> Int64 {
    if secondOfDay < end { return end - secondOfDay }
    return secondOfDay < start ? start - secondOfDay : Moment.day - secondOfDay + end
  }
}
