// SPDX-License-Identifier: Apache-2.0
/// A sum is computed.
enum SumRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard let persona = facts.pet.persona else { return nil }
    return facts.written(
      .sum,
      CommonKnowledge.standard.result(
        of: facts.message, temperament: persona.temperament, choice: facts.pet.choice, recent: facts.pet.said))
  }
}
