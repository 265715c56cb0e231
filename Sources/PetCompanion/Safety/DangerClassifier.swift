// SPDX-License-Identifier: Apache-2.0
/// Tells from words whether they tell of danger: `Models/danger-v5.bin`, made by `Training/train_danger.py`.
package struct DangerClassifier: Sendable {
  /// How likely a line is to tell of each danger, from 0 to 1; the rest is that it tells of none.
  package struct Scores: Sendable, Equatable {
    /// In the order of ``Danger/allCases``.
    package let likelihoods: [Float]

    /// That the line tells of any.
    package var danger: Float { likelihoods.reduce(0, +) }
    package var likeliest: Danger {
      let best = likelihoods.indices.max { likelihoods[$0] < likelihoods[$1] } ?? 0
      return Danger.allCases[best]
    }
  }

  static let classes = 1 + Danger.allCases.count
  private let network: WordClassifier

  /// The classifier that is built in.
  package static let standard = DangerClassifier(network: .builtIn("danger-v5.bin", classes: classes))

  /// Judges a line after the words that came before it. Of a long one, the part that tells most of danger.
  ///
  /// Complexity: linear in the words, of which at most 288 are looked at.
  package func scores(_ words: [String], before: [String] = []) -> Scores {
    Scores(likelihoods: Array(network.likelihoods(words, before: before).dropFirst()))
  }
}
