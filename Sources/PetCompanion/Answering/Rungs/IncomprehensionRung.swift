// SPDX-License-Identifier: Apache-2.0
/// Emoji, signs, other languages and whole pages: models of this project read short lines of English.
enum IncomprehensionRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    let isWatching = facts.safety.isWatching
    let comprehension = facts.comprehension
    // Behind danger a page is not put off, nor a sign taken for play: the model may raise its flag.
    guard let persona = facts.pet.persona, !isWatching || comprehension != .tooLong && !comprehension.isWordless
    else { return nil }
    // Nothing is played down where danger was told of.
    return facts.written(
      .incomprehension,
      ComprehensionRules.standard.reply(
        to: comprehension, temperament: isWatching ? "" : persona.temperament, choice: facts.pet.choice,
        last: facts.pet.said.last))
  }
}
