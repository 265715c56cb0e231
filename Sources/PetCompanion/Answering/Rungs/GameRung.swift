// SPDX-License-Identifier: Apache-2.0
/// Games and stories that go on from line to line: a small model keeps no rules and loses the thread.
enum GameRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard facts.pet.persona != nil else { return nil }
    let (rules, words) = (GameRules.standard, FoldedText.words(facts.message))
    if let move = facts.pet.pastime?.hear(words, rules, choice: facts.pet.choice) { return written(move, facts) }
    if let kind = rules.asked(words) {
      return written(Pastime.begin(kind, asked: words, rules, choice: facts.pet.choice), facts)
    }
    guard rules.asksForAny(words) else { return nil }
    return written(Pastime.Move(rules.line(.offer, [:], facts.pet.choice), .playful, nil), facts)
  }

  private static func written(_ move: Pastime.Move, _ facts: TurnFacts) -> WrittenReply? {
    var written = facts.written(.game, Reply(text: move.text, emotion: move.emotion, isWellFormed: true))
    written?.pastime = move.next.map(PastimeChange.goesOn) ?? .ends
    return written
  }
}
