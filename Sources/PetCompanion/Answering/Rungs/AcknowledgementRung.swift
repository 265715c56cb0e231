// SPDX-License-Identifier: Apache-2.0
/// A message that tells one plain fact and nothing else is taken up: the fact is remembered from then on.
enum AcknowledgementRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    // Said again it deserves a better answer.
    guard let persona = facts.pet.persona, let news = facts.memory?.news,
      let reply = ToldLines.standard.reply(
        news.kind, value: news.value, clause: news.clause, temperament: persona.temperament, choice: facts.pet.choice,
        last: facts.pet.said.last),
      // It says again what a person wrote: no better words than a model may use.
      ReplyCheck.standard.verdict(on: reply.text) == .pass
    else { return nil }
    return facts.written(.acknowledgement, reply)
  }
}
