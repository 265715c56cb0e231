// SPDX-License-Identifier: Apache-2.0
import PetText

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
    case .known(let facts, let more, let when, let lines):
      Self.line(rules.lines[lines] ?? rules.lines["any"] ?? [], choice).map { line in
        filled(line.replacing("{when}", with: when), told(facts, more: more))
      }
    case .unknown("", _): Self.line(rules.lines["no_last_time"] ?? [], choice)
    case .unknown(let missing, _):
      Self.line(rules.missing, choice).map { $0.replacing("{miss}", with: missing.withoutBraces) }
    }
  }

  /// One clause of them all; what begins alike is said once: "you hate rain, fog and loud parties".
  /// - Parameter more: so many that are not told are counted.
  func told(_ facts: [Fact], more: Int = 0) -> String {
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
    let told = clauses.map { $0.joined(separator: " ").split(separator: ", ").listed }
    return (told + (more > 0 ? ["\(more) \(more == 1 ? "thing" : "things") more"] : [])).listed
  }

  private func filled(_ line: String, _ told: String) -> String {
    line.replacing("{Told}", with: told.sentenceCased).replacing("{told}", with: told)
  }

  private static func line(_ lines: [String], _ choice: UInt64) -> String? {
    lines.isEmpty ? nil : lines[Int(choice % UInt64(lines.count))]
  }
}
