// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Easy questions and small requests are answered from tables.
enum KnowledgeRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? { facts.asksForJoke ? nil : words(facts, .knowledge) }

  static func words(_ facts: TurnFacts, _ rung: Rung) -> WrittenReply? {
    // "Tell me a dirty joke" asks for no joke.
    guard let persona = facts.pet.persona, facts.reading.intent() != .improper else { return nil }
    return facts.written(
      rung,
      CommonKnowledge.standard.reply(
        to: facts.message, temperament: persona.temperament, choice: facts.pet.choice, recent: facts.pet.said))
  }
}
