/// What a bank is to do about a message.
public enum BankDecision: Sendable, Equatable {
  /// Say the reply of this exchange.
  case answer(BankMatch)
  /// Leave it to a model.
  case none
}

/// When the bank answers by itself.
public struct BankPolicy: Sendable, Equatable {
  /// From which closeness a reply is said, whatever the model could say.
  public var answerCloseness: Double
  /// What is so much less close than the best is said in its place, for a change.
  public var tolerance = 0.05
  /// How much closer than the nearest line of danger an answer must be.
  public var guardMargin = 0.1

  public init(answerCloseness: Double) { self.answerCloseness = answerCloseness }

  /// - Parameters:
  ///   - isOpening: whether the conversation begins with the message; later ones are answered only where they stand alone.
  ///   - modelSense: the share of messages, from 0 to 1, that the model answers rightly by itself: to a message that tells of
  ///     something, a reply that is likelier right than that is said in its place. 1: only what is very close.
  ///   - recent: ids of exchanges whose replies were said lately: none of them is said again.
  ///   - recentTexts: what the pet said lately, whoever wrote it: it is not said again either.
  ///   - choice: any number; the same picks the same among replies that are equally close.
  public func decide(
    _ lookup: BankLookup, isOpening: Bool, modelSense: Double = 1, recent: [Int] = [], recentTexts: [String] = [],
    choice: UInt64
  ) -> BankDecision {
    guard isOpening || lookup.standsAlone else { return .none }
    let danger = lookup.matches.first { $0.exchange.use == .guards }?.closeness ?? 0
    let fitting = lookup.matches.filter {
      $0.exchange.use != .guards && $0.mayAnswer && $0.closeness > danger + guardMargin
        && !recent.contains($0.exchange.id) && !recentTexts.contains($0.exchange.reply.text)
    }
    let sure = fitting.filter { $0.tellsSame && $0.closeness >= answerCloseness }
    // What is at all like a line of danger is the model's, which may raise its flag.
    let mayReplaceModel = lookup.tells && danger <= guardMargin
    let likely = sure.isEmpty && mayReplaceModel ? fitting.filter { $0.closeness > modelSense } : sure
    let equal = likely.filter { $0.closeness >= likely[0].closeness - tolerance }
    return equal.isEmpty ? .none : .answer(equal[Int(choice % UInt64(equal.count))])
  }
}
