// SPDX-License-Identifier: Apache-2.0
/// Easy questions and small requests, a joke among them, are answered from tables.
enum KnowledgeRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    // "Tell me a dirty joke" asks for no joke.
    guard let persona = facts.pet.persona, facts.reading.intent() != .improper else { return nil }
    return facts.written(
      .knowledge,
      CommonKnowledge.standard.reply(
        to: facts.message, temperament: persona.temperament, choice: facts.pet.choice, recent: facts.pet.said))
  }
}
