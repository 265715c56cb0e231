// SPDX-License-Identifier: Apache-2.0
/// Tells from words what a line wants and how its person feels: `Models/intents-v2.bin`, made by `Training/train_intents.py`.
package struct IntentClassifier: Sendable {
  package static let classes = 1 + Intent.allCases.count + Sentiment.classes.count
  private let network: WordClassifier

  /// The classifier that is built in.
  package static let standard = IntentClassifier(network: .builtIn("intents-v2.bin", classes: classes))

  /// - Parameter earlier: the person's lines before it, oldest first; the last two are looked at.
  ///
  /// Complexity: linear in the words.
  package func reading(of message: String, after earlier: [String] = []) -> LineReading {
    let words = FoldedText.words(message)
    // What goes on for long wants many things.
    guard !words.isEmpty, words.count <= WordClassifier.window else {
      return LineReading(likelihoods: Array(repeating: 0, count: Self.classes - 1))
    }
    let before = FoldedText.words(earlier.suffix(2).joined(separator: " . "))
    return LineReading(
      likelihoods: Array(network.likelihoods(words, before: before).dropFirst()), smiley: Smiley(in: message))
  }
}
