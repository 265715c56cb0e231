// SPDX-License-Identifier: Apache-2.0
/// A day of the Gregorian calendar where the person is, without a clock or a time zone.
package struct CivilDay: Sendable, Hashable, Comparable, Codable {
  /// Days since 1970-01-01.
  package let number: Int

  /// Days outside the years 1 to 9999 become the nearest of it.
  package init(number: Int) { self.number = min(max(number, -719_162), 2_932_896) }

  /// The day at a time in seconds since 1970, where clocks are `offset` seconds ahead of universal time.
  package init(at seconds: Int64, offset: Int = 0) {
    let local = seconds.addingReportingOverflow(Int64(offset))
    let time = local.overflow ? seconds : local.partialValue
    let (days, rest) = time.quotientAndRemainder(dividingBy: 86_400)
    self.init(number: Int(rest < 0 ? days - 1 : days))
  }

  /// A number outside of the calendar becomes the nearest day of it.
  package init(from decoder: any Decoder) throws {
    try self.init(number: decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number))
  }

  /// Nil for a day that is none, such as February 30.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.length(ofMonth: month, year: year)
    else { return nil }
    // Years that begin in March, in eras of 400 of them (Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let ofEra = shifted % 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    self.init(number: era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468)
  }

  package var year: Int { parts.year }
  package var month: Int { parts.month }
  package var day: Int { parts.day }

  /// From 0, a Monday, to 6, a Sunday.
  package var weekday: Int { ((number + 3) % 7 + 7) % 7 }

  /// "November 24".
  package var written: String { "\(Self.months[month - 1]) \(day)" }

  /// "Monday, November 24, 2025".
  package var inFull: String { "\(weekdayName), \(written), \(year)" }

  /// "Monday".
  package var weekdayName: String { Self.weekdays[weekday] }

  package func adding(_ days: Int) -> CivilDay {
    let (sum, overflow) = number.addingReportingOverflow(days)
    return CivilDay(number: overflow ? (days > 0 ? .max : .min) : sum)
  }

  package static func < (a: CivilDay, b: CivilDay) -> Bool { a.number < b.number }

  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private var parts: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = shifted / 146_097
    let ofEra = shifted % 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * ofYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * fromMarch + 2) / 5 + 1)
  }
}
