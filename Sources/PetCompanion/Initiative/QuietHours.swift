// SPDX-License-Identifier: Apache-2.0
/// The hours of the day in which a pet does not speak first; they may lie across midnight.
package struct QuietHours: Sendable, Equatable {
  /// The first quiet hour and the first that no longer is, 0 to 23; none are quiet where they are the same.
  package let start: Int
  package let end: Int

  package static let night = QuietHours(start: 21, end: 8)
  package static let none = QuietHours(start: 0, end: 0)

  /// Hours count round the clock: 25 is 1, -1 is 23.
  package init(start: Int, end: Int) {
    self.start = (start % 24 + 24) % 24
    self.end = (end % 24 + 24) % 24
  }

  package func contains(_ moment: Moment) -> Bool {
    start <= end ? (start..<end).contains(moment.hour) : moment.hour >= start || moment.hour < end
  }

  /// Since 1970: the first second from `moment` on that is not quiet.
  package func over(from moment: Moment) -> Int64 {
    guard contains(moment) else { return moment.seconds }
    let wait = Int64(end) * Moment.hour - moment.secondOfDay
    return Moment.after(moment.seconds, wait > 0 ? wait : wait + Moment.day)
  }
}
