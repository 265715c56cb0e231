// SPDX-License-Identifier: Apache-2.0
/// A match of a pattern in a sentence, with the contents of its slots.
struct FactMatch: Sendable {
  let range: Range<Int>
  private(set) var slots: [FactPattern.Slot: Range<Int>] = [:]
  private(set) var date: DayReading?

  /// The fit of `pattern` at token `start`. Slots take few words before other parts of the pattern, and many at its end; each
  /// holds ten words at most, which bounds the work.
  static func find(
    _ pattern: FactPattern, in sentence: Sentence, at start: Int, _ rules: FactRules, today: CivilDay
  ) -> FactMatch? {
    var matcher = Matcher(tokens: sentence.tokens, rules: rules, today: today)
    guard let end = matcher.end(of: pattern.elements[...], from: start), end > start else { return nil }
    return FactMatch(range: start..<end, slots: matcher.slots, date: matcher.date)
  }

  private struct Matcher {
    let tokens: [Sentence.Token]
    let rules: FactRules
    let today: CivilDay
    var slots: [FactPattern.Slot: Range<Int>] = [:]
    var date: DayReading?

    mutating func end(of elements: ArraySlice<FactPattern.Element>, from position: Int) -> Int? {
      guard let element = elements.first else { return position }
      let rest = elements.dropFirst()
      switch element {
      case .words(let words, let optional):
        if position < tokens.count, words.contains(tokens[position].word), let end = end(of: rest, from: position + 1) {
          return end
        }
        return optional ? end(of: rest, from: position) : nil
      case .end:
        let ends = position == tokens.count || tokens[position].isBreak || rules.stops.begin(tokens, at: position)
        return ends || tokens[position].word == "and" ? end(of: rest, from: position) : nil
      case .slot(let slot):
        for length in lengths(of: slot, from: position, isLast: rest.isEmpty) {
          let before = (slots, date)
          slots[slot] = position..<(position + length)
          if slot == .date { date = reading(from: position) }
          if let end = end(of: rest, from: position + length) { return end }
          (slots, date) = before
        }
        return nil
      }
    }

    private func lengths(of slot: FactPattern.Slot, from position: Int, isLast: Bool) -> [Int] {
      guard position < tokens.count, !tokens[position].isBreak else { return [] }
      switch slot {
      case .value, .rest, .thing:
        guard !rules.never.contains(tokens[position].word) else { return [] }
        let most = slot == .thing ? 4 : 10
        var length = 0
        while length < most, position + length < tokens.count, !tokens[position + length].isBreak,
          slot == .rest || !rules.stops.begin(tokens, at: position + length)
        { length += 1 }
        return isLast ? Array((0..<length).map { length - $0 }) : Array(1..<(length + 1))
      case .name, .proper:
        return names(from: position, proper: slot == .proper)
      case .relation:
        return [2, 1].filter { rules.relation(words(position, $0)) != nil }
      case .animal:
        return [2, 1].filter { rules.animals.contains(words(position, $0)) }
      case .feeling, .illness, .ailment, .condition, .diet, .job, .occasion, .month, .first:
        return [2, 1].filter { rules.lists[slot.rawValue]?.contains(words(position, $0)) ?? false }
      case .number:
        return Numbers.read(tokens[position].word) == nil ? [] : [1]
      case .date:
        return reading(from: position).map { [$0.length] } ?? []
      }
    }

    private func names(from position: Int, proper: Bool) -> [Int] {
      let first = tokens[position]
      guard first.text.first?.isLetter ?? false, !rules.isOrdinary(first.word), !proper || first.isCapital
      else { return [] }
      var length = 1
      while length < 3, position + length < tokens.count, tokens[position + length].isCapital,
        !["i", "my"].contains(tokens[position + length].word)
      { length += 1 }
      return (0..<length).map { length - $0 }
    }

    private func reading(from position: Int) -> DayReading? {
      DayReading.read(tokens[position...].prefix(8).map(\.word)[...], today: today)
    }

    private func words(_ position: Int, _ length: Int) -> String {
      guard position + length <= tokens.count else { return "" }
      return tokens[position..<(position + length)].map(\.word).joined(separator: " ")
    }
  }
}
