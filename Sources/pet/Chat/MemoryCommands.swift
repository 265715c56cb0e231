// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetCommandLine
import PetEngine

/// What `/memory` and `/diary` do and print.
struct MemoryCommands {
  private let partner: any ChatPartner

  init(_ partner: any ChatPartner) { self.partner = partner }

  func memory(_ rest: String) async throws -> CommandReport {
    let words = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    let text = words.count > 1 ? words[1].trimmed : ""
    var report: CommandReport
    switch words.first?.lowercased() {
    case nil: report = CommandReport(.memory, "")
    case "add" where !text.isEmpty:
      let former = try await partner.memories()
      let added = try await partner.remember(text)
      let ids = Set(try await partner.memories().map(\.id))
      let lines = former.filter { !ids.contains($0.id) }.map { former in
        "\(added.isEmpty ? "no longer" : "it was"): \(TerminalText.line(former.text))\n"
      }
      report = CommandReport(.memory, (added.isEmpty ? "nothing was added\n" : list(added)) + lines.joined())
      report.memories = added
    case "edit":
      let parts = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard let first = parts.first else { throw CommandError.arguments(.memory, "") }
      guard let number = Int64(first) else { throw CommandError.noNumber(.memory, String(first)) }
      guard parts.count == 2 else { throw CommandError.arguments(.memory, "") }
      let former = try await partner.memories()
      try await partner.edit(number, value: String(parts[1]))
      let facts = try await partner.memories()
      let changed = facts.filter { $0.id == number }
      // What it contradicts holds no longer.
      let gone = former.filter { one in one.id != number && !facts.contains { $0.id == one.id } }
      let was = former.filter { $0.id == number }.map { "it was: \(TerminalText.line($0.text))" }
      let lines = was + gone.map { "no longer: \(TerminalText.line($0.text))" }
      report = CommandReport(.memory, list(changed) + lines.joined(separator: "\n"))
      report.memories = changed
    case "undo" where text.isEmpty:
      let back = try await partner.undoForgetting()
      let nothing = "nothing was forgotten in words since this program began"
      report = CommandReport(.memory, back.isEmpty ? nothing : list(back))
      report.memories = back
    case "why":
      guard let number = Int64(text) else {
        throw text.isEmpty ? CommandError.arguments(.memory, "") : .noNumber(.memory, text)
      }
      guard let fact = try await partner.memories().first(where: { $0.id == number }) else {
        throw MemoryError.noSuchFact(number)
      }
      report = CommandReport(.memory, list([fact]) + Self.provenance(of: fact, offset: Int(Moment.current().offset)))
      report.memories = [fact]
    case "add", "undo": throw CommandError.arguments(.memory, "")
    default: throw CommandError.arguments(.memory, String(words[0]))
    }
    if report.memories == nil { report.memories = try await partner.memories() }
    if report.text.isEmpty, let facts = report.memories {
      let nobody = partner.name.isPet ? "\(partner.name.display) knows nothing of you yet" : "nothing is kept"
      let given = partner.given
      report = report.with(facts.isEmpty && given.isEmpty ? nobody : list(facts, given: given))
      if !given.isEmpty { report.given = given }
    }
    return report
  }

  func diary() async throws -> CommandReport {
    let facts = try await partner.memories()
    let text = Diary.text(facts, offset: Int(Moment.current().offset))
    let nobody = partner.name.isPet ? "nothing is in \(partner.name.display)'s diary yet" : "nothing is kept"
    var report = CommandReport(.diary, text.isEmpty ? nobody : text)
    report.memories = facts
    return report
  }

  /// When it was told, and in whose words.
  private static func provenance(of fact: FactForm, offset: Int) -> String {
    let day = CivilDay(at: fact.created, offset: offset).written
    let words = fact.words.map { TerminalText.line($0) }
    switch (fact.origin, words) {
    case ("person", _): return "you wrote it into the list on \(day)"
    case (_, let words?) where fact.kind == Fact.Kind.said.rawValue:
      return "you said so on \(day), in these words: \(words)"
    case (_, let words?): return "you told it on \(day), in these words: \(words)"
    case (_, nil): return "you told it on \(day); only what was understood of it is kept"
    }
  }

  /// - Parameter given: what it was told from the start.
  private func list(_ facts: [FactForm], given: [String] = []) -> String {
    let lines = given.map { ("given", "\($0) (by --knows, for as long as this program runs)") }
    return FactLines.text(facts.map { ("\($0.id)", $0.text) } + lines)
  }
}
