// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells from words whether they tell of danger, and how they follow an alarm: three networks of `Models`, made by `Training/train_danger.py`.
/// The later two learned from lines of another sort and lost some of the earlier ones, so all are asked.
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
  /// Classes of the file that knows no kinds.
  package static let families = 1 + Danger.allCases.count
  private let earlier: WordClassifier
  private let later: [WordClassifier]

  /// The classifier that is built in.
  package static let standard = DangerClassifier(
    earlier: .builtIn("danger-v5.bin", classes: families),
    later: ["danger-v6.bin", "danger-v6-2.bin"].map { .builtIn($0, classes: heads.reduce(0, +)) })

  /// Judges a line after the words that came before it.
  package func scores(_ words: [String], before: [String] = []) -> Scores { scores(words, behind: [before])[0] }

  /// Judges a line behind each of several contexts: the mean of what all networks say of danger, in logarithms of the odds; kinds, and how
  /// the line follows an alarm, by the later ones. Of a long line, the part that tells most of danger.
  ///
  /// Complexity: linear in the words, of which at most 288 are looked at.
  package func scores(_ words: [String], behind contexts: [[String]]) -> [Scores] {
    let first = earlier.likelihoods(words, behind: contexts)
    let others = later.map { $0.likelihoods(words, behind: contexts, heads: Self.heads) }
    return contexts.indices.map { place in
      var odds = Self.logOdds(first[place].first ?? 1)
      var sum = [Float](repeating: 0, count: Self.heads.reduce(0, +))
      for found in others.map({ $0[place] }) {
        odds += Self.logOdds(found.first ?? 1)
        for index in sum.indices { sum[index] += found[index] / Float(others.count) }
      }
      let danger = 1 / (1 + exp(odds / Float(1 + others.count)))
      let share = danger / max(1 - sum[0], Self.least)
      return Scores(
        likelihoods: sum[1..<Self.heads[0]].map { $0 * share }, follows: Array(sum[Self.heads[0]...]))
    }
  }

  /// None is ever surer than this.
  private static let least: Float = 1e-6

  private static func logOdds(_ likelihood: Float) -> Float {
    let bounded = min(max(likelihood, least), 1 - least)
    return log(bounded / (1 - bounded))
  }
}
