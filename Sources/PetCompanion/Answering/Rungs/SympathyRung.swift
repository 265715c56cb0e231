// SPDX-License-Identifier: Apache-2.0
/// Words for an unhappy person, where the model's reply does not show that it understood. Readers preferred them to it on plain bad news; good news
/// is the model's (`Benchmarks/results/company.md`).
enum SympathyRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard let persona = facts.pet.persona, let sentiment = facts.sentiment, sentiment != .joy,
      var reply = SympathyLines.standard.reply(
        to: sentiment, temperament: persona.temperament, choice: facts.pet.choice, recent: facts.pet.said)
    else { return nil }
    if let words = facts.restatement {
      reply.text = "\(words)? \(reply.text)"
    }
    var written = facts.written(.sympathy, reply)
    written?.expectation = .shows(sentiment, to: facts.message)
    return written
  }
}
