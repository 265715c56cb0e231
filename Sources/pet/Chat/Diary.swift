// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetCommandLine
import PetEngine

/// What a pet was told, day by day. It is made of what it remembers: what is forgotten stands in it no more. Pure.
enum Diary {
  /// - Parameter offset: seconds by which the person's clocks are ahead of universal time.
  /// - Returns: a line for each day and each thing; empty where nothing is remembered.
  /// - Complexity: O(n log n) in the facts.
  static func text(_ facts: [FactForm], offset: Int) -> String {
    let said = Set(facts.compactMap { $0.kind == Fact.Kind.said.rawValue ? $0.value : nil })
    // What was understood of a line is in the line.
    let told = facts.filter { $0.kind == Fact.Kind.said.rawValue || $0.words.map(said.contains) != true }
    let days = Dictionary(grouping: told) { CivilDay(at: $0.created, offset: offset) }
    return days.sorted { $0.key < $1.key }.map { day, facts in
      let lines = facts.sorted { ($0.created, $0.id) < ($1.created, $1.id) }.map { "  \(TerminalText.line($0.text))" }
      return ([day.inFull] + lines).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
