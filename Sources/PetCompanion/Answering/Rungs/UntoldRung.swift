// SPDX-License-Identifier: Apache-2.0
/// A question for what nobody told is answered so: a model would make something up.
enum UntoldRung {
  /// To a question that rules know.
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard case .unknown(let reply, let missing, _) = facts.recollection else { return nil }
    let mayBeGiven = !facts.pet.given.isEmpty || facts.model.isSimple && !facts.safety.isWatching
    guard !mayBeGiven || isUnheardOf(missing, facts) else { return nil }
    // Words that are all new may ask for what was told in others.
    if facts.model.isSimple, !facts.safety.isWatching, case .told = facts.told { return nil }
    return WrittenReply(.untold, reply)
  }

  /// To a question in other words.
  static func replyInOtherWords(_ facts: TurnFacts) -> WrittenReply? {
    guard case .untold(let reply) = facts.told else { return nil }
    if case .unknown(let known, _, _) = facts.recollection { return facts.written(.untold, known) }
    return facts.written(.untold, reply)
  }

  /// Whether nothing that was given or said shares a word with it.
  private static func isUnheardOf(_ missing: String, _ facts: TurnFacts) -> Bool {
    let told = facts.pet.given.map(\.text) + facts.telling
    let words = AnswerWords.content(of: missing)
    // Of "where you come from" no word need be in what tells it.
    guard !words.isEmpty, missing.contains("your ") else { return told.isEmpty }
    return told.allSatisfy { words.isDisjoint(with: AnswerWords.content(of: $0)) }
  }
}
