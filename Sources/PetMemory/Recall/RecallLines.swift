// SPDX-License-Identifier: Apache-2.0
/// What a pet answers to a question for what it was told, written by hand: `prompts/recall.json`.
package struct RecallLines: Sendable {
  private let rules: RecallRules
  private let person: SecondPerson

  package init(_ rules: RecallRules = .standard, _ facts: FactRules = .standard) {
    self.rules = rules
    person = SecondPerson(rules, facts)
  }

  /// A reply with its mark, as in "Your name is Ada. {happy; nuzzle}"; nil where the model is to answer.
  /// - Parameter choice: any number; the same gives the same line.
  package func reply(to finding: RecallFinding, choice: UInt64) -> String? {
    switch finding {
    case .notAsked: nil
    case .known(let facts, let lines):
      Self.line(rules.lines[lines] ?? rules.lines["any"] ?? [], choice).map { filled($0, told(facts)) }
    case .unknown(let missing, _):
      Self.line(rules.missing, choice).map { $0.replacing("{miss}", with: missing.filter { $0 != "{" && $0 != "}" }) }
    }
  }

  /// One clause of them all; what begins alike is said once: "you hate rain, fog and loud parties".
  func told(_ facts: [Fact]) -> String {
    var clauses: [[Substring]] = []
    for words in facts.map({ person.clause($0).split(separator: " ") }) {
      let same = clauses.firstIndex { $0.count > 2 && words.count > 2 && $0.prefix(2) == words.prefix(2) }
      if let same, words.first == "you", !clauses[same].contains("and") {
        clauses[same][clauses[same].count - 1] += ","
        clauses[same] += words.dropFirst(2)
      } else {
        clauses.append(words)
      }
    }
    return Self.listed(clauses.map { Self.listed($0.joined(separator: " ").split(separator: ", ").map(String.init)) })
  }

  private func filled(_ line: String, _ told: String) -> String {
    line.replacing("{Told}", with: told.prefix(1).uppercased() + told.dropFirst()).replacing("{told}", with: told)
  }

  private static func listed(_ parts: [String]) -> String {
    guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  private static func line(_ lines: [String], _ choice: UInt64) -> String? {
    lines.isEmpty ? nil : lines[Int(choice % UInt64(lines.count))]
  }
}
