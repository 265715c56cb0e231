// SPDX-License-Identifier: Apache-2.0
/// What a pet asks about when its person comes back: something that was to happen meanwhile, or a birthday. Pure.
package enum FollowUp: Sendable, Equatable {
  /// As said to the person: "you had the dentist on Friday".
  case event(String)
  case birthday

  /// Days for which something is still asked about.
  private static let days = 10
  /// What is not brought up by anybody but the person.
  private static let grave: Set<String> = [
    "funeral", "burial", "cremation", "memorial", "wake", "grave", "anniversary", "inquest", "trial", "court",
    "sentencing",
  ]

  /// At most one; nil where there is none, or it was asked for before: each is asked about at the first visit behind it.
  /// - Parameters:
  ///   - facts: also those that have expired since.
  ///   - lastSeen: when the person was last there.
  ///   - offset: seconds by which clocks are ahead of universal time.
  /// - Complexity: O(facts).
  package static func due(
    among facts: [Fact], since lastSeen: Int64, at now: Int64, offset: Int = 0, person: SecondPerson = SecondPerson()
  ) -> FollowUp? {
    let (before, today) = (CivilDay(at: lastSeen, offset: offset), CivilDay(at: now, offset: offset))
    let spoken = facts.filter { $0.supersededBy == nil && $0.expires != .min && !$0.isQuiet }
    let isBirthday = spoken.contains {
      $0.kind == .birthday && $0.subject == "user" && $0.text.hasSuffix(" is \(today.written)")
    }
    if isBirthday, before < today { return .birthday }
    let events = spoken.filter { $0.kind == .event }.compactMap { fact -> (day: CivilDay, fact: Fact)? in
      day(of: fact, offset: offset).map { ($0, fact) }
    }
    let due = events.filter { day, fact in
      before <= day && day < today && today.number - day.number <= days
        && grave.isDisjoint(with: Words.of(fact.text))
    }
    let latest = due.max { ($0.day, $0.fact.importance, $0.fact.id) < ($1.day, $1.fact.importance, $1.fact.id) }
    return latest.flatMap { clause($0.fact, $0.day, today, person) }.map(FollowUp.event)
  }

  /// The day at the end of its text, in the year in which it was told, or the next.
  private static func day(of fact: Fact, offset: Int) -> CivilDay? {
    let told = CivilDay(at: fact.created, offset: offset)
    return (0..<366).lazy.map(told.adding).first { fact.text.hasSuffix(" on \($0.written)") }
  }

  private static func clause(_ fact: Fact, _ day: CivilDay, _ today: CivilDay, _ person: SecondPerson) -> String? {
    let words = person.clause(fact).split(separator: " ").dropLast(3).map(String.init)
    guard let first = words.first, let place = words.firstIndex(where: { past[$0] != nil }),
      place <= 3 || first == "your"
    else { return nil }
    let turned = words[..<place] + [past[words[place]] ?? ""] + words[(place + 1)...]
    return (turned + [written(day, today)]).joined(separator: " ")
  }

  private static let past = [
    "have": "had", "has": "had", "are": "were", "is": "was", "you're": "you were", "will": "were going to",
  ]

  private static func written(_ day: CivilDay, _ today: CivilDay) -> String {
    switch today.number - day.number {
    case 1: "yesterday"
    case 2...6: "on \(day.weekdayName)"
    default: "on \(day.written)"
    }
  }
}
