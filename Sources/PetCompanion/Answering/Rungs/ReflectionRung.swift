// SPDX-License-Identifier: Apache-2.0
/// The person's own words, said back where a weak model's own are likely wrong.
enum ReflectionRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    // What is remembered for the message is the model's to take up, and what was told is quoted.
    guard !facts.isRecalled, facts.held?.rung != .told, let persona = facts.pet.persona,
      let words = facts.restatement
    else { return nil }
    // A line that shows how the person feels has the words already.
    let reply =
      facts.held?.reply
      ?? Reflection.standard.reply(
        saying: words, temperament: persona.temperament, choice: facts.pet.choice, recent: facts.pet.said)
    var written = facts.written(.reflection, reply)
    written?.isReflection = true
    written?.rightness = Reflection.rightness(isFelt: facts.held != nil, isAgain: facts.pet.hasReflected)
    return written
  }

  /// A clause of the message as it is said to the person; nil where it is worse than what a model may say, or not in the mood of
  /// the whole.
  static func restatement(of facts: TurnFacts) -> String? {
    guard let persona = facts.pet.persona, !facts.isNearDanger,
      let words = Reflection.standard.restatement(of: facts.message, pet: persona.name),
      ReplyCheck.standard.verdict(on: words) == .pass
    else { return nil }
    guard let sentiment = facts.sentiment else { return words }
    let own = IntentClassifier.standard.reading(of: words).sentiment
    return (own == .joy) == (sentiment == .joy) ? words : nil
  }
}
