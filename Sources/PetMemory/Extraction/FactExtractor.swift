// SPDX-License-Identifier: Apache-2.0
import PetText

/// Extracts facts from what a person said, by rules: no model, no clock.
///
/// Prefers precision to recall: ignores questions, wishes, conditions, quotations, denials, jokes and secrets.
package struct FactExtractor: Sendable {
  let rules: FactRules
  /// In words.
  private static let longestPlain = 10

  package init(_ rules: FactRules = .standard) { self.rules = rules }

  /// - Parameter last: the fact that was learned last in this conversation, to which "actually it's Ada" would refer; nil where
  ///   it is too long ago to.
  /// - Complexity: the length of the message, of which the first 4000 characters count, times the number of rules.
  package func proposals(from turn: CompletedTurn, after last: Fact? = nil) -> [FactProposal] {
    guard !isJoke(turn.said) else { return [] }
    var proposals: [FactProposal] = []
    // Of whom "she" speaks.
    var other = last.flatMap { $0.subject == "user" ? nil : $0.subject }
    // Whose place a fact of the same matter comes in.
    var revised: Fact?
    for whole in Sentence.all(in: turn.said) where !isQuestion(whole) {
      guard !isSecret(whole), !tellsGuarded(whole) else { continue }
      var sentence = whole
      if let revision = rules.revisions.lazy.compactMap({
        FactMatch.find($0, in: whole, at: 0, rules, today: turn.today)
      }).first {
        sentence = whole.after(revision.range)
        revised = last
      }
      let found = matches(in: sentence, turn.today)
      for (rule, match) in found {
        guard var proposal = proposal(rule, match, sentence, turn, other) else { continue }
        if proposal.subject != "user" { other = proposal.subject }
        if let revised, isSameMatter(proposal, revised) { proposal.corrects = [revised.id] }
        proposals.append(proposal)
      }
      guard found.isEmpty else { continue }
      if let last, let proposal = correction(in: whole, of: last, turn) {
        proposals.append(proposal)
      } else if !isCorrection(whole, turn.today), let (rule, match) = fallback(in: sentence, turn.today),
        var proposal = proposal(rule, match, sentence, turn, other)
      {
        if let revised, isSameMatter(proposal, revised) { proposal.corrects = [revised.id] }
        proposals.append(proposal)
      }
    }
    return proposals
  }

  /// The fact of a message that is one short sentence and tells nothing else; nil for all other messages.
  /// - Complexity: as of ``proposals(from:after:)``.
  package func onlyFact(of turn: CompletedTurn) -> FactProposal? {
    let sentences = Sentence.all(in: turn.said)
    guard sentences.count == 1, let sentence = sentences.first, sentence.tokens.count <= Self.longestPlain,
      !isJoke(turn.said), !isQuestion(sentence), !isSecret(sentence),
      case let found = matches(in: sentence, turn.today), found.count == 1
    else { return nil }
    let (rule, match) = found[0]
    let isAll = sentence.tokens.indices.allSatisfy {
      match.range.contains($0) || sentence.tokens[$0].isBreak || rules.leads.contains(sentence.tokens[$0].word)
    }
    let said = match.slots.values.joined().map { sentence.tokens[$0].word }
    guard isAll, !said.contains(where: rules.personal.contains),
      let only = proposal(rule, match, sentence, turn, nil), only.action == .remember, only.confidence >= 0.8
    else { return nil }
    return only
  }

  /// Whether the whole message is taken back: "just kidding".
  func isJoke(_ message: String) -> Bool {
    let small = message.prefix(Sentence.longestMessage).lowercased()
    return rules.jokes.contains { small.contains($0) }
  }

  /// Passwords, and numbers of accounts, cards and telephones.
  func isSecret(_ sentence: Sentence) -> Bool {
    var (digits, most) = (0, 0)
    // Numbers of cards and telephones are written in groups.
    for token in sentence.tokens where !token.isBreak {
      let own = token.word.count { $0.isNumber }
      digits = own == 0 ? 0 : digits + own
      most = max(most, digits)
    }
    let words = sentence.tokens.filter { !$0.isBreak }.map(\.word)
    let isNumbered = words.contains(where: rules.numbered.contains)
    return most >= (isNumbered ? 6 : 9) || namesSecret(words)
  }

  /// Whether words name what opens something, also "passw0rd" and "pass word".
  func namesSecret(_ words: [String]) -> Bool {
    let plain = words.map(Self.spelled)
    return plain.contains(where: rules.secrets.contains)
      || zip(plain, plain.dropFirst()).contains {
        rules.secrets.contains($0 + $1) || rules.secrets.contains("\($0) \($1)")
      }
  }

  /// Whether a sentence says what a code is: "the code to my door is blue seven". That somebody learns to code is no secret.
  private func tellsGuarded(_ sentence: Sentence) -> Bool {
    let words = sentence.tokens.map(\.word)
    guard let place = words.firstIndex(where: rules.guarded.contains) else { return false }
    return words[place...].contains { ["is", "are", "was"].contains($0) || $0.contains(where: \.isNumber) }
  }

  /// A word with letters in the place of the figures and signs that stand for them.
  private static func spelled(_ word: String) -> String {
    guard word.contains(where: \.isLetter) else { return word }
    return String(word.map { figures[$0] ?? $0 })
  }

  private static let figures: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
  ]

  func isQuestion(_ sentence: Sentence) -> Bool {
    guard !sentence.isQuestion else { return true }
    let words = sentence.tokens.drop { rules.leads.contains($0.word) || $0.isBreak }
    return words.first.map { rules.questions.contains($0.word) } ?? true
  }

  /// What fits, from left to right; rules that come first have the first choice of the words.
  private func matches(in sentence: Sentence, _ today: CivilDay) -> [(FactRules.Rule, FactMatch)] {
    var found: [(FactRules.Rule, FactMatch)] = []
    let words = Set(sentence.tokens.map(\.word))
    for rule in rules.rules {
      for pattern in rule.say where pattern.mayBegin(where: words.contains) {
        for start in sentence.tokens.indices where !found.contains(where: { $0.1.range.contains(start) }) {
          guard isMeant(pattern, sentence, at: start),
            let match = FactMatch.find(pattern, in: sentence, at: start, rules, today: today),
            !found.contains(where: { $0.1.range.overlaps(match.range) })
          else { continue }
          found.append((rule, match))
        }
      }
    }
    return found.sorted { $0.1.range.lowerBound < $1.1.range.lowerBound }
  }

  /// A plain statement of the speaker, of at least four words, that can be understood by itself.
  private func fallback(in sentence: Sentence, _ today: CivilDay) -> (FactRules.Rule, FactMatch)? {
    let isMeant = sentence.tokens.allSatisfy { token in
      ![rules.negations, rules.unreal, rules.reported].contains { $0.contains(token.word) }
    }
    let start = sentence.tokens.firstIndex { !rules.leads.contains($0.word) && !$0.isBreak }
    guard isMeant, let start else { return nil }
    for rule in rules.fallbacks {
      for pattern in rule.say {
        let match = FactMatch.find(pattern, in: sentence, at: start, rules, today: today)
        // What comes after it may hang on it.
        if let match, match.range.count >= 4,
          !sentence.tokens[..<match.range.upperBound].contains(where: { rules.vague.contains($0.word) })
        {
          return (rule, match)
        }
      }
    }
    return nil
  }

  /// Whether nothing before it takes away its meaning.
  private func isMeant(_ pattern: FactPattern, _ sentence: Sentence, at start: Int) -> Bool {
    // The cheap question first.
    let word = sentence.tokens[start].word
    guard pattern.mayBegin(where: { $0 == word }) else { return false }
    let before = sentence.tokens[..<start]
    let isQuoted = before.indices.contains { index in
      // Who says "I told you" speaks of what is so.
      rules.reported.contains(before[index].word) && (index == 0 || before[index - 1].word != "i")
    }
    guard !isQuoted, !before.contains(where: { rules.unreal.contains($0.word) }) else { return false }
    let clause = before.suffix(
      from: before.lastIndex { $0.isBreak || $0.word == "but" || $0.word == "and" }.map { $0 + 1 } ?? 0)
    guard !clause.contains(where: { rules.negations.contains($0.word) }) else { return false }
    guard pattern.beginsClause, let previous = clause.last else { return true }
    return rules.leads.contains(previous.word)
  }

  private func proposal(
    _ rule: FactRules.Rule, _ match: FactMatch, _ sentence: Sentence, _ turn: CompletedTurn, _ other: String?
  ) -> FactProposal? {
    var values: [String: String] = [:]
    if let other { values["other"] = other }
    if let day = match.date?.day { values["date"] = day.written }
    for (slot, range) in match.slots where slot != .date {
      values[[.proper, .first].contains(slot) ? "name" : slot.rawValue] = written(slot, sentence.tokens[range])
      if slot == .number { values["count"] = Sentence.written(sentence.tokens[range]) }
    }
    guard let subject = filled(rule.subject ?? "user", values), let topic = filled(rule.topic ?? "", values),
      let value = filled(rule.value ?? (rule.retract == true && match.slots[.value] == nil ? "" : "{value}"), values),
      let text = filled(rule.text ?? "", values)
    else { return nil }
    if rule.kind == .age, let age = Int(value), !(1...120).contains(age) { return nil }
    let expires = rule.days.map { days in
      let from = match.date.map { Int64($0.day.number) - Int64(turn.today.number) } ?? 0
      let span = (Int64(days) + from) * 86_400
      let (time, overflow) = turn.time.addingReportingOverflow(span)
      return overflow ? turn.time : time
    }
    return FactProposal(
      rule.kind, subject: subject, topic: topic, value: value, text: text, confidence: rule.confidence ?? 0.9,
      importance: rule.importance ?? 0.5, isSingle: rule.single ?? false, expires: expires,
      action: rule.retract == true ? .retract : .remember)
  }

  private func written(_ slot: FactPattern.Slot, _ tokens: ArraySlice<Sentence.Token>) -> String {
    let text = Sentence.written(tokens, thirdPerson: ![.name, .proper, .first].contains(slot))
    switch slot {
    case .relation: return rules.relation(text.lowercased()) ?? text.lowercased()
    case .animal, .thing: return text.lowercased()
    case .number: return tokens.first.flatMap { Numbers.read($0.word) }.map(String.init) ?? text
    case .name, .month, .first: return text.sentenceCased
    default: return text
    }
  }

  /// Nil where the template names what is not there.
  private func filled(_ template: String, _ values: [String: String]) -> String? {
    var text = ""
    var rest = template[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      guard let value = values[String(rest[rest.index(after: open)..<close])] else { return nil }
      text += rest[..<open] + value
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  /// Whether it is worded as a correction, of whatever.
  private func isCorrection(_ sentence: Sentence, _ today: CivilDay) -> Bool {
    rules.corrections.contains { FactMatch.find($0, in: sentence, at: 0, rules, today: today) != nil }
  }

  /// "Actually it's Ada": the last fact with another value, where that can be one.
  private func correction(in sentence: Sentence, of last: Fact, _ turn: CompletedTurn) -> FactProposal? {
    for pattern in rules.corrections {
      guard let match = FactMatch.find(pattern, in: sentence, at: 0, rules, today: turn.today) else { continue }
      let range = match.slots[.date] ?? match.slots[.name] ?? match.slots[.proper] ?? match.slots[.number]
      guard let range, range.upperBound == sentence.tokens.count || sentence.tokens[range.upperBound].isBreak
      else { continue }
      // "Not today, Mochi" corrects nothing.
      if let thing = match.slots[.thing],
        Words.key(Sentence.written(sentence.tokens[thing])) != Words.key(last.value)
      {
        continue
      }
      let value: String
      switch last.kind {
      case .event, .birthday:
        // The last: "a talk on whales on November 24".
        guard let day = match.date?.day,
          let on = last.text.ranges(of: last.kind == .event ? " on " : " is ").last
        else { continue }
        let moved = FactProposal(
          last.kind, subject: last.subject, topic: last.topic, value: last.kind == .event ? last.value : day.written,
          text: last.text[..<on.upperBound] + day.written, importance: last.importance,
          // Whoever moves one event has the others still.
          isSingle: last.kind == .birthday,
          expires: last.expires.map { _ in
            let span = Int64(max(day.number - turn.today.number, 0) + 3) * 86_400
            let (time, overflow) = turn.time.addingReportingOverflow(span)
            return overflow ? turn.time : time
          })
        return corrected(moved, last)
      case .age:
        guard let slot = match.slots[.number] else { continue }
        value = written(.number, sentence.tokens[slot])
        guard let years = Int(value), (1...120).contains(years) else { continue }
      case .name, .place, .origin, .people, .pet, .work, .favourite:
        guard match.slots[.number] == nil, match.date == nil else { continue }
        value = written(.name, sentence.tokens[range])
      default: continue
      }
      guard let text = FactText.replacing(value: value, of: last, rules) else { continue }
      return corrected(
        FactProposal(
          last.kind, subject: last.subject, topic: last.topic, value: value, text: text, importance: last.importance),
        last)
    }
    return nil
  }

  /// Whether one could be said in the place of the other: of the same kind and topic, and by the same verb where rules know no kind.
  private func isSameMatter(_ proposal: FactProposal, _ last: Fact) -> Bool {
    guard proposal.kind == last.kind, Words.same(proposal.subject, last.subject), Words.same(proposal.topic, last.topic)
    else { return false }
    return proposal.kind != .custom || Words.of(proposal.value).prefix(2) == Words.of(last.value).prefix(2)
  }

  private func corrected(_ proposal: FactProposal, _ last: Fact) -> FactProposal {
    var proposal = proposal
    proposal.corrects = [last.id]
    return proposal
  }
}
