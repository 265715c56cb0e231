// SPDX-License-Identifier: Apache-2.0
/// What a line wants of a pet and how its person feels, as ``IntentClassifier`` sees it.
package struct LineReading: Sendable {
  /// A model that guesses at what a doctor must say, or at what the pet is, does harm: for both a likely reading will do. Where the rest of the
  /// limits are less sure than this, readers preferred what else would be said to ordinary lines (`Benchmarks/results/company.md`).
  private static func threshold(of intent: Intent) -> Float {
    switch intent {
    case .health, .expert, .character, .machine, .play, .rest: 0.6
    case .food: 0.65
    case .mood: 0.75
    case .world, .online, .senses, .improper, .love, .past, .privacy, .identity, .noise, .cut, .code: 0.9
    }
  }

  /// A question for what was told may sound like one for what nobody can know.
  static let thresholdOfTold: Float = 0.8
  /// Of all unhappy ones together where one of them is clear, and where none is.
  static let thresholdOfUnhappy: Float = 0.65
  static let thresholdOfTrouble: Float = 0.8
  static let thresholdOfKind: Float = 0.6
  static let thresholdOfJoy: Float = 0.75
  /// Pity for good news is worse than none for bad.
  static let mostJoyInTrouble: Float = 0.2

  /// Of each intent in the order of ``Intent/allCases``, then of each ``Sentiment`` but the last; the rest is that it is of none.
  package let likelihoods: [Float]
  private let smiley: Smiley?

  init(likelihoods: [Float], smiley: Smiley? = nil) { (self.likelihoods, self.smiley) = (likelihoods, smiley) }

  private var intents: ArraySlice<Float> { likelihoods.prefix(Intent.allCases.count) }
  private var sentiments: ArraySlice<Float> { likelihoods.dropFirst(Intent.allCases.count) }

  /// Nil where the line is of none, or that is not sure.
  /// - Parameter isTold: whether the pet was told what the line may be about.
  package func intent(isTold: Bool = false) -> Intent? {
    guard let (intent, likelihood) = zip(Intent.allCases, intents).max(by: { $0.1 < $1.1 }),
      likelihood > max(Self.threshold(of: intent), isTold ? Self.thresholdOfTold : 0)
    else { return nil }
    return intent
  }

  /// Nil where the line tells of none, or that is not sure, or a smiley speaks against it.
  package var sentiment: Sentiment? {
    guard let sentiment = sentimentOfWords else { return nil }
    return smiley == (sentiment == .joy ? .sad : .happy) ? nil : sentiment
  }

  private var sentimentOfWords: Sentiment? {
    let likely = zip(Sentiment.classes, sentiments)
    let joy = likely.first { $0.0 == .joy }?.1 ?? 0
    if joy > Self.thresholdOfJoy { return .joy }
    let unhappy = likely.filter { $0.0 != .joy }
    let all = unhappy.reduce(0) { $0 + $1.1 }
    guard all > Self.thresholdOfUnhappy, joy < Self.mostJoyInTrouble else { return nil }
    return unhappy.first { $0.1 > Self.thresholdOfKind }?.0 ?? (all > Self.thresholdOfTrouble ? .trouble : nil)
  }
}
