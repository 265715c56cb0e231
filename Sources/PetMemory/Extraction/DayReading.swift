// SPDX-License-Identifier: Apache-2.0
/// A day as people say it: "tomorrow", "next Monday", "the 3rd of March", "in two weeks".
struct DayReading: Sendable, Equatable {
  /// How many words say it.
  let length: Int
  let day: CivilDay
  /// Whether the year was said.
  let hasYear: Bool

  /// The day that begins at `start`, seen from `today`; days without a year are to come. Nil where none does.
  static func read(_ words: ArraySlice<String>, today: CivilDay) -> DayReading? {
    let lead = words.prefix { ["on", "by", "this", "next", "coming", "the", "is", "for"].contains($0) }
    guard lead.count <= 3 else { return nil }
    let rest = Array(words.dropFirst(lead.count).prefix(5))
    func reading(_ day: CivilDay, _ length: Int, year: Bool = false) -> DayReading {
      DayReading(length: lead.count + length, day: day, hasYear: year)
    }
    switch rest.first {
    case "today", "tonight": return reading(today, 1)
    case "morning", "afternoon", "evening":
      return lead.last == "this" ? reading(today, 1) : nil
    case "tomorrow":
      let hasTime = rest.count > 1 && ["morning", "afternoon", "evening", "night"].contains(rest[1])
      return reading(today.adding(1), hasTime ? 2 : 1)
    case "day" where rest.starts(with: ["day", "after", "tomorrow"]): return reading(today.adding(2), 3)
    case "week" where lead.last == "next": return reading(today.adding(7), 1)
    case "in": return span(rest).map { reading(today.adding($0.days), $0.length) }
    default: break
    }
    if let name = rest.first, let weekday = weekdays.firstIndex(of: name) {
      return reading(today.adding((weekday - today.weekday + 6) % 7 + 1), 1)
    }
    return calendar(rest, today).map { reading($0.day, $0.length, year: $0.hasYear) }
  }

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// "in 3 days", "in two weeks".
  private static func span(_ words: [String]) -> (days: Int, length: Int)? {
    guard words.count >= 3, let count = Numbers.read(words[1]) ?? (words[1] == "a" ? 1 : nil), count <= 400
    else { return nil }
    switch words[2] {
    case "day", "days": return (count, 3)
    case "week", "weeks": return (count * 7, 3)
    default: return nil
    }
  }

  /// "3rd of March", "March 3", "2027-03-03", with or without a year.
  private static func calendar(_ words: [String], _ today: CivilDay) -> DayReading? {
    guard let first = words.first else { return nil }
    let parts = first.split(separator: "-")
    if parts.count == 3, parts[0].count == 4, let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2])
    {
      return CivilDay(year: year, month: month, day: day).map { DayReading(length: 1, day: $0, hasYear: true) }
    }
    var length = 2
    let month: Int
    let day: Int
    if let named = self.month(first), words.count > 1 {
      let skipped = words[1] == "the" && words.count > 2
      guard let number = ordinal(words[skipped ? 2 : 1]) else { return nil }
      if skipped { length = 3 }
      (month, day) = (named, number)
    } else if let number = ordinal(first), words.count > 1 {
      let skipped = words[1] == "of" && words.count > 2
      guard let named = self.month(words[skipped ? 2 : 1]) else { return nil }
      if skipped { length = 3 }
      (month, day) = (named, number)
    } else {
      return nil
    }
    if words.count > length, words[length].count == 4, let year = Int(words[length]), (1900...2200).contains(year) {
      return CivilDay(year: year, month: month, day: day).map { DayReading(length: length + 1, day: $0, hasYear: true) }
    }
    // The next such day; February 29 may be years away.
    for year in today.year...(today.year + 8) {
      if let found = CivilDay(year: year, month: month, day: day), found >= today {
        return DayReading(length: length, day: found, hasYear: false)
      }
    }
    return nil
  }

  private static func month(_ word: String) -> Int? {
    guard word.count >= 3, word != "mar" || word.count == 3 else { return nil }
    let index = CivilDay.months.firstIndex {
      $0.lowercased() == word || $0.lowercased().prefix(3) == word || word == "sept" && $0 == "September"
    }
    return index.map { $0 + 1 }
  }

  private static func ordinal(_ word: String) -> Int? {
    let digits = word.prefix { $0.isASCII && $0.isNumber }
    guard let number = digits.isEmpty ? Numbers.ordinals[word] : Int(digits), (1...31).contains(number) else {
      return nil
    }
    return ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)) || digits.isEmpty ? number : nil
  }
}

/// Small numbers, in figures or in words.
enum Numbers {
  /// From 0 to 999.
  static func read(_ word: String) -> Int? {
    if word.count <= 3, let number = Int(word), number >= 0 { return number }
    if let number = ones.firstIndex(of: word) { return number }
    let parts = word.split(separator: "-").map(String.init)
    guard let ten = parts.first.flatMap(tens.firstIndex(of:)) else { return nil }
    if parts.count == 1 { return ten * 10 + 20 }
    guard parts.count == 2, let one = ones.firstIndex(of: parts[1]), (1...9).contains(one) else { return nil }
    return ten * 10 + 20 + one
  }

  private static let ones = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
  ]
  private static let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

  static let ordinals = [
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12,
  ]
}
