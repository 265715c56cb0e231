/// What a bank is to do about a message.
public enum BankDecision: Sendable, Equatable {
  /// Say the reply of this exchange.
  case answer(BankMatch)
  /// Show these to the model, nearest last.
  case examples([BankMatch])
  case none
}

/// When the bank answers by itself, and what it shows to a model otherwise.
public struct BankPolicy: Sendable, Equatable {
  /// From which closeness a reply is said.
  public var answerCloseness: Double
  /// From which closeness an exchange is an example.
  public var exampleCloseness: Double
  public var maximumExamples = 3
  /// What is so much less close than the best is said in its place, for a change.
  public var tolerance = 0.05
  /// How much closer than the nearest line of danger an answer must be.
  public var guardMargin = 0.1

  public init(answerCloseness: Double, exampleCloseness: Double) {
    self.answerCloseness = answerCloseness
    self.exampleCloseness = exampleCloseness
  }

  /// - Parameters:
  ///   - isOpening: whether the conversation begins with the message; later ones are answered only where they stand alone.
  ///   - recent: ids of exchanges whose replies were said lately: none of them is said again.
  ///   - recentTexts: what the pet said lately, whoever wrote it: it is not said again either.
  ///   - choice: any number; the same picks the same among replies that are equally close.
  public func decide(
    _ lookup: BankLookup, isOpening: Bool, recent: [Int] = [], recentTexts: [String] = [], choice: UInt64
  ) -> BankDecision {
    let harmless = lookup.matches.filter { $0.exchange.use != .guards }
    guard let best = harmless.first else { return .none }
    let danger = lookup.matches.first { $0.exchange.use == .guards }?.closeness ?? 0
    guard danger <= best.closeness else { return .none }

    if isOpening || lookup.standsAlone, danger < best.closeness - guardMargin {
      let fitting = harmless.filter {
        $0.mayAnswer && $0.closeness >= answerCloseness && !recent.contains($0.exchange.id)
          && !recentTexts.contains($0.exchange.reply.text)
      }
      let equal = fitting.filter { $0.closeness >= fitting[0].closeness - tolerance }
      if !equal.isEmpty { return .answer(equal[Int(choice % UInt64(equal.count))]) }
    }
    let near = harmless.filter { $0.closeness >= exampleCloseness }.prefix(max(maximumExamples, 0))
    return near.isEmpty ? .none : .examples(near.reversed())
  }
}
