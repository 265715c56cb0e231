// SPDX-License-Identifier: Apache-2.0
/// A message that comes close to a line of the bank gets the reply that was written to that line.
enum BankRung {
  /// To what is surely the same. The bank knows nobody: it does not answer who asks for what the pet was told.
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard case .answer(let match) = decision(facts, mayOffer: false) else { return nil }
    switch facts.told {
    case .told: return nil
    case .untold, nil: return written(match, facts)
    }
  }

  /// Where it is likelier right than a weak model's own. What is remembered for the message is the model's to take up.
  static func offer(_ facts: TurnFacts) -> WrittenReply? {
    guard facts.held == nil, !facts.isRecalled, case .offer(let match) = decision(facts, mayOffer: true) else {
      return nil
    }
    var offer = written(match, facts)
    offer?.rightness = match.closeness
    return offer
  }

  private static func written(_ match: BankMatch, _ facts: TurnFacts) -> WrittenReply? {
    var written = facts.written(.bank, match.exchange.reply)
    written?.exchange = match.exchange.id
    return written
  }

  private static func decision(_ facts: TurnFacts, mayOffer: Bool) -> BankDecision {
    // A pet of somebody's own says what any pet might.
    guard facts.pet.persona != nil, !facts.asksForJoke else { return .none }
    let bank = ReplyBank.builtIn
    return bank.policy.decide(
      bank.lookUp(facts.message, pet: facts.pet.name, state: facts.pet.manner.state), isOpening: facts.line.isOpening,
      mayOffer: mayOffer, recent: facts.pet.exchanges, recentTexts: facts.pet.said, choice: facts.pet.choice)
  }
}
