// SPDX-License-Identifier: Apache-2.0
/// Who sincerely asks what the pet is or was told, or wants it to be somebody else, is answered by hand-written words.
enum HonestyRung {
  /// Asked in words that rules know.
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard let persona = facts.pet.persona else { return nil }
    return Honesty.standard.answer(to: facts.message, temperament: persona.temperament, choice: facts.pet.choice)
      .map { WrittenReply(.honesty, $0) }
  }

  /// Asked in other words.
  static func replyInOtherWords(_ facts: TurnFacts) -> WrittenReply? {
    guard let persona = facts.pet.persona, let intent = facts.intent else { return nil }
    return facts.written(
      .honesty, Honesty.standard.reply(to: intent, temperament: persona.temperament, choice: facts.pet.choice))
  }
}
