/// Tells from words what a line wants: `Models/intents-v1.bin`, made by `Training/train_intents.py`.
public struct IntentClassifier: Sendable {
  static let classes = 1 + Intent.allCases.count
  /// Chosen on the validation part of `Training/intents`: few ordinary lines are taken for something else.
  static let threshold: Float = 0.6
  /// A question for what was told may sound like one for what nobody can know.
  static let thresholdOfTold: Float = 0.8
  private let network: WordClassifier

  /// The classifier that is built in.
  public static let standard = IntentClassifier(network: .builtIn("intents-v1.bin", classes: classes))

  /// How likely a line is of each intent, in the order of ``Intent/allCases``; the rest is that it is of none.
  ///
  /// Complexity: linear in the words.
  package func likelihoods(of message: String, after earlier: [String] = []) -> [Float] {
    let words = SafetyText.words(message)
    // What goes on for long wants many things.
    guard !words.isEmpty, words.count <= WordClassifier.window else { return Intent.allCases.map { _ in 0 } }
    let before = SafetyText.words(earlier.suffix(2).joined(separator: " . "))
    return Array(network.likelihoods(words, before: before).dropFirst())
  }

  /// Nil where the line is of none, or that is not sure.
  /// - Parameters:
  ///   - earlier: the person's lines before it, oldest first; the last two are looked at.
  ///   - isTold: whether the pet was told what the line may be about.
  public func intent(of message: String, after earlier: [String] = [], isTold: Bool = false) -> Intent? {
    let likelihoods = likelihoods(of: message, after: earlier)
    guard let best = likelihoods.indices.max(by: { likelihoods[$0] < likelihoods[$1] }),
      likelihoods[best] > (isTold ? Self.thresholdOfTold : Self.threshold)
    else { return nil }
    return Intent.allCases[best]
  }
}
