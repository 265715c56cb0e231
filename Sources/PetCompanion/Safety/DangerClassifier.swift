// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells from words whether they tell of danger, and how they follow an alarm: networks of `Models`, made by `Training/train_danger.py` and
/// `Training/train_reader.py`. Two small ones read every line: the later learned from lines of another sort and lost some of the earlier ones.
/// What they do not find plainly harmless the reader reads, too, which knows more of what words mean.
package struct DangerClassifier: Sendable {
  /// What a line tells of.
  package struct Scores: Sendable, Equatable {
    /// How likely it is to tell of each kind, from 0 to 1, in the order of ``DangerKind/allCases``; the rest is that it tells of none.
    package let likelihoods: [Float]
    /// In the order of ``AfterAlarm/allCases``; together 1.
    package let follows: [Float]
    /// Whether the reader was asked.
    package var isOfReader = false

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
  /// How likely danger must be by the small networks for the reader to be asked: of what is below, it hardly ever finds any.
  static let leastToRead: Float = 0.05
  /// How much of the logarithms of the odds is the reader's, and of how a line follows.
  static let (shareOfReader, shareOfFollows): (Float, Float) = (0.8, 0.75)
  /// Of a line of which the earlier network knows fewer words than this share, it alone is believed: the others learned grave words of other
  /// languages, and no plain ones.
  static let leastKnown: Float = 0.7
  private let earlier: WordClassifier
  private let later: WordClassifier

  /// The classifier that is built in.
  package static let standard = DangerClassifier(
    earlier: .builtIn("danger-v5.bin", classes: families),
    later: .builtIn("danger-v7.bin", classes: heads.reduce(0, +)))

  /// Judges a line after the words that came before it.
  package func scores(_ words: [String], before: [String] = []) -> Scores { scores(words, behind: [before])[0] }

  /// Judges a line behind each of several contexts: the mean of what all networks say of danger, in logarithms of the odds; kinds, and how
  /// the line follows an alarm, by the later ones. Of a long line, the part that tells most of danger.
  ///
  /// Complexity: linear in the words, of which at most 288 are looked at.
  /// - Parameter closely: whether the reader is asked whatever the small networks say.
  package func scores(_ words: [String], behind contexts: [[String]], closely: Bool = false) -> [Scores] {
    let first = earlier.likelihoods(words, behind: contexts)
    let second = later.likelihoods(words, behind: contexts, heads: Self.heads)
    let isKnown = earlier.shareKnown(of: words) >= Self.leastKnown
    let small = zip(first, second).map { first, second in
      let odds = Self.logOdds(first.first ?? 1)
      return Opinion(second, odds: isKnown ? (odds + Self.logOdds(second.first ?? 1)) / 2 : odds)
    }
    guard isKnown, closely || small.contains(where: { $0.danger > Self.leastToRead }) else {
      return small.map(\.scores)
    }
    return zip(small, contexts).map { small, context in
      // Loaded with the first line that asks for it.
      guard let read = DangerReader.standard.likelihoods(words, before: context) else { return small.scores }
      return small.weighed(with: Opinion(read, odds: Self.logOdds(read[0]))).scores
    }
  }

  /// What some networks say of a line.
  private struct Opinion {
    /// Logarithm of the odds that it tells of nothing.
    let odds: Float
    /// Together 1.
    let kinds: [Float]
    let follows: [Float]
    var isOfReader = false

    init(odds: Float, kinds: [Float], follows: [Float]) {
      (self.odds, self.kinds, self.follows) = (odds, kinds, follows)
    }

    init(_ likelihoods: [Float], odds: Float) {
      let kinds = likelihoods[1..<DangerClassifier.heads[0]]
      let sum = max(kinds.reduce(0, +), DangerClassifier.least)
      self.init(odds: odds, kinds: kinds.map { $0 / sum }, follows: Array(likelihoods[DangerClassifier.heads[0]...]))
    }

    var danger: Float { 1 / (1 + exp(odds)) }

    var scores: Scores {
      Scores(likelihoods: kinds.map { $0 * danger }, follows: follows, isOfReader: isOfReader)
    }

    func weighed(with reader: Opinion) -> Opinion {
      let both = zip(kinds, reader.kinds).map { ($0 * $1).squareRoot() }
      let sum = max(both.reduce(0, +), DangerClassifier.least)
      var weighed = Opinion(
        odds: odds + (reader.odds - odds) * DangerClassifier.shareOfReader, kinds: both.map { $0 / sum },
        follows: zip(follows, reader.follows).map { $0 + ($1 - $0) * DangerClassifier.shareOfFollows })
      weighed.isOfReader = true
      return weighed
    }
  }

  /// None is ever surer than this.
  private static let least: Float = 1e-6

  private static func logOdds(_ likelihood: Float) -> Float {
    let bounded = min(max(likelihood, least), 1 - least)
    return log(bounded / (1 - bounded))
  }
}
