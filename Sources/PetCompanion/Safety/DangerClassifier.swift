// SPDX-License-Identifier: Apache-2.0
/// Tells from words whether they tell of danger, and how they follow an alarm: the mean of two networks of `Models`, made by
/// `Training/train_danger.py`.
package struct DangerClassifier: Sendable {
  /// What a line tells of.
  package struct Scores: Sendable, Equatable {
    /// How likely it is to tell of each kind, from 0 to 1, in the order of ``DangerKind/allCases``; the rest is that it tells of none.
    package let likelihoods: [Float]
    /// In the order of ``AfterAlarm/allCases``; together 1.
    package let follows: [Float]

    /// That the line tells of any.
    package var danger: Float { likelihoods.reduce(0, +) }

    /// The likeliest of some kinds; of equal ones the first.
    package func likeliest(of kinds: [DangerKind] = DangerKind.allCases) -> DangerKind? {
      kinds.reduce(nil) { best, kind in
        guard let best, self[best] >= self[kind] else { return kind }
        return best
      }
    }

    package subscript(kind: DangerKind) -> Float { Self.value(kind, DangerKind.allCases, likelihoods) }
    package subscript(how: AfterAlarm) -> Float { Self.value(how, AfterAlarm.allCases, follows) }

    private static func value<Case: Equatable>(_ one: Case, _ all: [Case], _ values: [Float]) -> Float {
      zip(all, values).first { $0.0 == one }?.1 ?? 0
    }
  }

  package static let heads = [1 + DangerKind.allCases.count, AfterAlarm.allCases.count]
  static var classes: Int { heads.reduce(0, +) }
  /// Trained apart: where one errs, the other seldom does.
  private let networks: [WordClassifier]

  /// The classifier that is built in.
  package static let standard = DangerClassifier(
    networks: ["danger-v6.bin", "danger-v6-2.bin"].map { .builtIn($0, classes: classes) })

  /// Judges a line after the words that came before it. Of a long one, the part that tells most of danger.
  ///
  /// Complexity: linear in the words, of which at most 288 are looked at.
  package func scores(_ words: [String], before: [String] = []) -> Scores {
    var found = [Float](repeating: 0, count: Self.classes)
    for network in networks {
      let own = network.likelihoods(words, before: before, heads: Self.heads)
      for place in found.indices { found[place] += own[place] / Float(networks.count) }
    }
    return Scores(
      likelihoods: Array(found.prefix(Self.heads[0]).dropFirst()), follows: Array(found.dropFirst(Self.heads[0])))
  }

  /// How many of the words it knows, from 0 to 1; 1 of none.
  func knownShare(of words: [String]) -> Float {
    guard let network = networks.first, !words.isEmpty else { return 1 }
    return Float(words.count(where: network.knows)) / Float(words.count)
  }
}
