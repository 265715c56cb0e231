// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// The most frequent messages have replies written for each built-in pet and its state.
enum FrequentRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    facts.asksForJoke ? nil : words(facts, .frequent, isCalm: !facts.safety.isWatching)
  }

  static func words(_ facts: TurnFacts, _ rung: Rung, isCalm: Bool) -> WrittenReply? {
    guard let name = facts.pet.name else { return nil }
    return facts.written(
      rung,
      FrequentReplies.standard.reply(
        to: facts.message, pet: name, state: facts.pet.manner.state, isCalm: isCalm,
        choice: facts.pet.choice, previous: facts.pet.said.last))
  }
}
