// SPDX-License-Identifier: Apache-2.0
import PetText

/// Facts as they are said to the person whom they are about: "has a dog named Rex" becomes "you have a dog named Rex". Pure.
package struct SecondPerson: Sendable {
  private let turns: [String: String]
  private let relations: Set<String>
  private let animals: Set<String>

  package init(_ recall: RecallRules = .standard, _ facts: FactRules = .standard) {
    turns = recall.turns
    relations = Set(facts.relations.values)
    animals = facts.animals
  }

  /// A clause without its closing mark that begins in a small letter, except with a name; "you told me: …" where the words are in
  /// no known form. Complexity: the length of the text.
  package func clause(_ fact: Fact) -> String {
    fact.kind == .said
      ? "you said: \(fact.text.withoutBraces)" : clause(fact.text, kind: fact.kind, subject: fact.subject)
  }

  private static let unknown = "you told me: "

  /// Whether the words are in a form that can be said to the person: "user has a dog", "runs a marathon".
  package func understands(_ text: String) -> Bool {
    let clause = clause(text)
    return !clause.isEmpty && !clause.hasPrefix(Self.unknown)
  }

  /// Of what nobody has taken apart: "runs a marathon in October".
  package func clause(_ text: String) -> String {
    let words = text.split(separator: " ").map(String.init)
    guard let first = words.first, turns[first] == nil, first.allSatisfy(\.isLowercase), !first.hasSuffix("ss"),
      first.count > 3, first.hasSuffix("s"), !relations.contains(first), !animals.contains(first)
    else { return clause(text, kind: .habit, subject: "user") }
    return clause(
      (["user", infinitive(of: first)] + words.dropFirst()).joined(separator: " "), kind: .habit, subject: "user")
  }

  /// "carries" as "carry", "watches" as "watch", "runs" as "run".
  private func infinitive(of verb: String) -> String {
    if verb.hasSuffix("ies") { return verb.dropLast(3) + "y" }
    let isLong = ["ches", "shes", "sses", "xes", "oes"].contains { verb.hasSuffix($0) }
    return String(verb.dropLast(isLong ? 2 : 1))
  }

  private func clause(_ text: String, kind: Fact.Kind, subject: String) -> String {
    // Braces belong to the marks of replies.
    let words = text.withoutBraces.split(separator: " ").map(String.init)
    guard let first = words.first else { return "" }
    let rest = Array(words.dropFirst())
    if first == "user's" { return joined(["your"] + rest) }
    if first == "user", let verb = rest.first { return joined(["you", turns[verb] ?? verb] + rest.dropFirst()) }
    if first == "says", let next = rest.first {
      if next == "their" { return joined(["you told me your"] + rest.dropFirst()) }
      if next == "they" { return joined(["you told me you"] + past(Array(rest.dropFirst()))) }
    }
    if first == "does", rest.first == "every" { return joined(rest).replacing(": ", with: " you ") }
    if let begin = ownBegin(words, subject) { return joined([begin] + words) }
    if subject != "user", first.first?.isUppercase == true { return joined(words) }
    // "brother" and its kind are theirs also where they stand behind a verb.
    if first == "broke", words.count == 4, words.prefix(3) == ["broke", "up", "with"] {
      return joined(["you broke up with your"] + words.dropFirst(3))
    }
    if let verb = turns[first] {
      if first == "does", rest.first == "not" { return joined(["you don't"] + rest.dropFirst()) }
      return joined(["you", verb] + rest)
    }
    if kind == .custom { return joined(words) }
    return Self.unknown + joined(words)
  }

  /// "your" before what is the person's own.
  private func ownBegin(_ words: [String], _ subject: String) -> String? {
    let first = words[0].hasSuffix("'s") ? String(words[0].dropLast(2)) : words[0]
    let pair =
      words.count > 1 ? "\(first) \(words[1].hasSuffix("'s") ? String(words[1].dropLast(2)) : words[1])" : first
    if subject != "user", [first, pair].contains(subject) {
      return first.first?.isUppercase == true ? nil : "your"
    }
    if relations.contains(first) || relations.contains(pair) || animals.contains(first) { return "your" }
    return ["birthday", "wedding"].contains(first) ? "your" : nil
  }

  /// "they are" as it follows "you".
  private func past(_ words: [String]) -> [String] {
    guard words.first == "was" else { return words }
    return ["were"] + words.dropFirst()
  }

  private func joined(_ words: [String]) -> String {
    let text = words.map { Pronouns.thirdToSecond[$0] ?? $0 }.joined(separator: " ")
    return text.hasPrefix("you are ") ? "you're " + text.dropFirst(8) : text
  }
}
