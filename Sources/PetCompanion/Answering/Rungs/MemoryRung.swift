// SPDX-License-Identifier: Apache-2.0
/// A question for what the person told is answered from the store: a model would make something up.
enum MemoryRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard case .known(let reply, let fact) = facts.recollection, !isOutdated(fact, facts) else { return nil }
    return WrittenReply(.memory, reply)
  }

  /// Whether the person has said otherwise since, in words that no rule understood.
  private static func isOutdated(_ fact: KnownFact?, _ facts: TurnFacts) -> Bool {
    guard let fact, case .told(_, let line?) = facts.told, line.told > fact.told else { return false }
    return !AnswerWords.content(of: fact.text).isSubset(of: AnswerWords.content(of: line.text))
  }
}
