// SPDX-License-Identifier: Apache-2.0
/// Who asks for a joke gets one that was written for this pet, or for any. Neither the bank nor the rungs for frequent lines and knowledge answer
/// such a line, so the row of ``AnswerPolicy`` alone says when a written joke may be told.
enum JokeRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard facts.asksForJoke else { return nil }
    return FrequentRung.words(facts, .joke, isCalm: true)
      ?? (facts.model.isSimple ? KnowledgeRung.words(facts, .joke) : nil)
  }
}
