// SPDX-License-Identifier: Apache-2.0
import PetText

/// Words by which danger is told, written by hand: `prompts/safety.json`.
package struct DangerRules: Sendable, Decodable {
  /// How sure a rule is.
  package enum Strength: String, Sendable, Decodable {
    /// Danger, whatever else speaks against it.
    case certain
    /// A word that danger is often told with: nothing light is said to it, and a model's flag counts.
    case hint
  }

  struct Match: Sendable, Equatable {
    let danger: Danger
    let strength: Strength
    /// Where the rule's words leave no doubt.
    var kind: DangerKind?
  }

  private struct Guard: Sendable, Decodable {
    /// Patterns that may be anywhere in the message.
    let anywhere: [String]?
    /// Words that may be among the three before what matched.
    let before: [String]?
  }

  private struct Rule: Decodable {
    let kind: Danger
    let of: DangerKind?
    let strength: Strength
    let guards: [String]
    let say: [String]
  }

  private struct Source: Sendable {
    let danger: Danger
    let kind: DangerKind?
    let strength: Strength
    let guards: [String]
  }

  private enum CodingKeys: String, CodingKey { case sets, guards, rules, marks, calm }

  private static let reach = 3
  private let patterns: WordPatterns
  private let sources: [Source]
  private let anywhere: [String: WordPatterns]
  private let before: [String: Set<String>]
  /// What may be all of a line that tells of nothing, whatever networks see in it.
  private let calm: WordPatterns
  /// In letters that are no part of words here, by what they tell of.
  private let marks: [(danger: Danger, text: String)]

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let sets = try values.decode([String: [String]].self, forKey: .sets)
    let guards = try values.decode([String: Guard].self, forKey: .guards)
    let rules = try values.decode([Rule].self, forKey: .rules)
    var found: [String] = []
    var sources: [Source] = []
    for (number, rule) in rules.enumerated() {
      if let unknown = rule.guards.first(where: { guards[$0] == nil }) {
        throw DecodingError.dataCorruptedError(
          forKey: .rules, in: values, debugDescription: "rule \(number) names the guard \"\(unknown)\", which is none")
      }
      for text in rule.say {
        found.append(text)
        sources.append(Source(danger: rule.kind, kind: rule.of, strength: rule.strength, guards: rule.guards))
      }
    }
    patterns = try WordPatterns(found, sets: sets, at: values.codingPath + [CodingKeys.rules])
    self.sources = sources
    anywhere = try guards.compactMapValues { own in
      try own.anywhere.map { try WordPatterns($0, sets: sets, at: values.codingPath + [CodingKeys.guards]) }
    }
    calm = try WordPatterns(
      try values.decode([String].self, forKey: .calm), sets: sets, at: values.codingPath + [CodingKeys.calm])
    before = guards.compactMapValues { $0.before.map(Set.init) }
    let marks = try values.decodeIfPresent([String: [String]].self, forKey: .marks) ?? [:]
    self.marks = try marks.sorted { $0.key < $1.key }.flatMap { name, texts in
      guard let danger = Danger(rawValue: name), !texts.contains("") else {
        throw DecodingError.dataCorruptedError(
          forKey: .marks, in: values, debugDescription: "\"\(name)\" is no danger, or a mark is empty")
      }
      return texts.map { (danger, $0) }
    }
  }

  /// What a message in other letters says, as they stand in it; of a long one the beginning and the end.
  func mark(in message: String) -> Danger? {
    guard message.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    let ends = message.count <= 8192 ? [message[...]] : [message.prefix(4096), message.suffix(4096)]
    let texts = ends.map { $0.lowercased() }
    return marks.first { mark in texts.contains { $0.contains(mark.text) } }?.danger
  }

  /// The rules that are built in.
  package static let standard: DangerRules = BuiltInText.decode("safety.json", PackageResources.safety_json)

  /// What the words of a message say by rule; a certain rule that a guard speaks against is a hint.
  func match(_ words: [String]) -> Match? {
    let found = patterns.matches(in: words)
    guard !found.isEmpty else { return nil }
    var hint: Match?
    var known: [String: Bool] = [:]
    for (number, start) in found {
      let source = sources[number]
      let isGuarded = source.guards.contains { speaks(for: $0, words, start, &known) }
      switch (source.strength, isGuarded) {
      case (.certain, false): return Match(danger: source.danger, strength: .certain, kind: source.kind)
      case (.certain, true), (.hint, false): hint = hint ?? Match(danger: source.danger, strength: .hint)
      case (.hint, true): continue
      }
    }
    return hint
  }

  /// Whether all that a message says is what people say every day: one sentence.
  func isCalm(_ words: [String]) -> Bool {
    !words.dropLast().contains { $0 == "." || $0 == "?" } && calm.matches(in: words).contains { $0.start == 0 }
  }

  /// - Parameter known: which guards have a pattern anywhere in the words, as far as that was looked for.
  private func speaks(for name: String, _ words: [String], _ start: Int, _ known: inout [String: Bool]) -> Bool {
    if let before = before[name], words[max(0, start - Self.reach)..<start].contains(where: before.contains) {
      return true
    }
    if let isThere = known[name] { return isThere }
    let isThere = anywhere[name].map { !$0.matches(in: words).isEmpty } ?? false
    known[name] = isThere
    return isThere
  }
}
