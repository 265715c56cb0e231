// SPDX-License-Identifier: Apache-2.0
/// What a small model would promise, make up, or answer against how the pet fares.
enum LimitsRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard let persona = facts.pet.persona, let intent = facts.intent else { return nil }
    return facts.written(
      .limits,
      IntentLines.standard.reply(
        to: intent, from: persona, facts.pet.manner.state, choice: facts.pet.choice, recent: facts.pet.said))
  }
}
