// SPDX-License-Identifier: Apache-2.0
/// What a bank is to do about a message.
package enum BankDecision: Sendable, Equatable {
  /// Say the reply of this exchange.
  case answer(BankMatch)
  /// Say it where a model is less likely right.
  case offer(BankMatch)
  /// Leave it to a model.
  case none
}

/// When the bank answers by itself.
package struct BankPolicy: Sendable, Equatable {
  /// From which closeness a reply is said, whatever the model could say.
  package var answerCloseness: Double
  /// What is so much less close than the best is said in its place, for a change.
  package var tolerance = 0.05
  /// How much closer than the nearest line of danger an answer must be.
  package var guardMargin = 0.1

  /// From which closeness a reply is offered.
  package var offerCloseness = 0.2
  /// How much likelier right than a model's own reply a written one must be: the model knows the conversation.
  package var modelMargin = 0.05

  package init(answerCloseness: Double) { self.answerCloseness = answerCloseness }

  /// - Parameters:
  ///   - isOpening: whether the conversation begins with the message; later ones are answered only where they stand alone.
  ///   - mayOffer: whether there is a model to compare with.
  ///   - recent: ids of exchanges whose replies were said lately: none of them is said again.
  ///   - recentTexts: what the pet said lately, whoever wrote it: it is not said again either.
  ///   - choice: any number; the same picks the same among replies that are equally close.
  package func decide(
    _ lookup: BankLookup, isOpening: Bool, mayOffer: Bool = false, recent: [Int] = [], recentTexts: [String] = [],
    choice: UInt64
  ) -> BankDecision {
    guard isOpening || lookup.standsAlone else { return .none }
    let danger = lookup.matches.first { $0.exchange.use == .guards }?.closeness ?? 0
    let fitting = lookup.matches.filter {
      $0.exchange.use != .guards && $0.mayAnswer && $0.closeness > danger + guardMargin
        && !recent.contains($0.exchange.id) && !recentTexts.contains($0.exchange.reply.text)
    }
    let sure = fitting.filter { $0.tellsSame && $0.closeness >= answerCloseness }
    if let sure = one(of: sure, choice) { return .answer(sure) }
    // What is at all like a line of danger is the model's.
    let likely = fitting.filter { $0.closeness >= offerCloseness }
    guard mayOffer, danger <= guardMargin, let likely = one(of: likely, choice) else { return .none }
    return .offer(likely)
  }

  private func one(of matches: [BankMatch], _ choice: UInt64) -> BankMatch? {
    guard let best = matches.first else { return nil }
    let equal = matches.filter { $0.closeness >= best.closeness - tolerance }
    return equal.isEmpty ? nil : equal[Int(choice % UInt64(equal.count))]
  }
}
