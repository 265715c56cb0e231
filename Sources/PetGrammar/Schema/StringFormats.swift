// SPDX-License-Identifier: Apache-2.0
/// The formats that are enforced: RFC 3339 dates and times, and UUIDs (RFC 9562).
enum StringFormats {
  static func expression(_ format: [UInt8]) -> Expression? {
    switch String(decoding: format, as: UTF8.self) {
    case "date": date
    case "time": time
    case "date-time": .sequence([date, .text("T"), time])
    case "uuid": uuid
    default: nil
    }
  }

  private static let digit = Expression.digits(0, 9)
  private static func two(_ tens: (UInt8, UInt8), _ ones: (UInt8, UInt8)) -> Expression {
    .sequence([.digits(tens.0, tens.1), .digits(ones.0, ones.1)])
  }

  /// Days that the month has. The year 0000 is left out: most calendars know none.
  private static let date: Expression = {
    let year = Expression.choice([
      .sequence([.digits(1, 9), digit, digit, digit]), .sequence([.text("0"), .digits(1, 9), digit, digit]),
      .sequence([.text("00"), .digits(1, 9), digit]), .sequence([.text("000"), .digits(1, 9)]),
    ])
    let until28 = Expression.choice([two((0, 0), (1, 9)), two((1, 1), (0, 9)), two((2, 2), (0, 8))])
    let month31 = Expression.choice([
      .sequence([.text("0"), .any(of: "13578")]), .sequence([.text("1"), .any(of: "02")]),
    ])
    let otherThan2 = Expression.choice([
      .sequence([.text("0"), .any(of: "13456789")]), .sequence([.text("1"), .digits(0, 2)]),
    ])
    let days = Expression.choice([
      .sequence([.choice([otherThan2, .text("02")]), .text("-"), until28]),
      .sequence([otherThan2, .text("-"), .choice([.text("29"), .text("30")])]),
      .sequence([month31, .text("-31")]),
    ])
    // Two digits that 4 divides, without 00.
    let fours = Expression.choice([
      .sequence([.text("0"), .any(of: "48")]), .sequence([.any(of: "2468"), .any(of: "048")]),
      .sequence([.any(of: "13579"), .any(of: "26")]),
    ])
    let leapYear = Expression.choice([.sequence([digit, digit, fours]), .sequence([fours, .text("00")])])
    return .choice([.sequence([year, .text("-"), days]), .sequence([leapYear, .text("-02-29")])])
  }()

  /// Without leap seconds: most clocks know none.
  private static let time: Expression = {
    let hours = Expression.choice([two((0, 1), (0, 9)), two((2, 2), (0, 3))])
    let sixty = two((0, 5), (0, 9))
    let fraction = Expression.optional(.sequence([.text("."), .repetition(digit, least: 1, most: 9)]))
    let zone = Expression.choice([.text("Z"), .sequence([.any(of: "+-"), hours, .text(":"), sixty])])
    return .sequence([hours, .text(":"), sixty, .text(":"), sixty, fraction, zone])
  }()

  private static let uuid: Expression = {
    let hex = Expression.any(of: "0123456789abcdefABCDEF")
    func group(_ count: Int) -> Expression { .repetition(hex, least: count, most: count) }
    let dash = Expression.text("-")
    return .sequence([group(8), dash, group(4), dash, group(4), dash, group(4), dash, group(12)])
  }()
}
