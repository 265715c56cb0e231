// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory
import PetText

/// What tells of danger is no memory.
extension LivingPet {
  static let secondPerson = SecondPerson()

  /// - Throws: ``MemoryOfDanger``.
  func refuseDanger(in texts: String...) throws(MemoryOfDanger) {
    for text in texts {
      let clause = Self.secondPerson.understands(text) ? Self.secondPerson.clause(text) : text
      guard let danger = danger(in: text, clause) else { continue }
      throw MemoryOfDanger(danger, region: settings.region, isForMinors: settings.safety.isForMinors)
    }
  }

  /// Those that may be said again: a store may hold others.
  nonisolated func withoutDanger(_ facts: [Fact]) -> [Fact] {
    facts.filter { danger(in: $0.text, Self.secondPerson.clause($0)) == nil }
  }

  /// What a text tells of, as it stands or as its person would say it: "you want to die" is "I want to die".
  private nonisolated func danger(in text: String, _ clause: String) -> Danger? {
    let own = clause.split(separator: " ").map(String.init).map { Pronouns.secondToFirst[$0] ?? $0 }
      .joined(separator: " ")
    let finding =
      detector.finding(in: text, profile: settings.safety) ?? detector.finding(in: own, profile: settings.safety)
    return finding?.danger
  }
}
