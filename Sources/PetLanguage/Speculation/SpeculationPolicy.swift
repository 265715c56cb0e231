// SPDX-License-Identifier: Apache-2.0
/// How far ahead it pays to guess (speculative decoding, arXiv:2211.17192). Guesses are verified in the pass that computes the next
/// token anyway: what is drawn is what would have been drawn without them, and only the time depends on them.
package struct SpeculationPolicy: Sendable, Equatable {
  /// Guesses of one pass.
  package static let most = 8

  /// Seconds of a pass with one row for each reply, and what each further row adds.
  var pass: Double
  var row: Double
  /// Replies that share the pass.
  var replies: Int

  package init(pass: Double, row: Double, replies: Int) {
    (self.pass, self.row, self.replies) = (pass, row, replies)
  }

  /// The number of guesses for one reply that gives most tokens per second; 0 where none pays.
  /// - Parameters:
  ///   - acceptance: how likely a guess is right if those before it were.
  ///   - available: guesses that there can be.
  ///   - guess: seconds that a guess takes.
  package func count(acceptance: Double, available: Int, guess: Double = 0) -> Int {
    var (best, bestRate) = (0, Double(replies) / pass)
    var (tokens, right) = (Double(replies), 1.0)
    for count in stride(from: 1, through: min(available, Self.most), by: 1) {
      right *= acceptance
      tokens += right
      let rate = tokens / (pass + Double(count) * (row + guess))
      if rate > bestRate { (best, bestRate) = (count, rate) }
    }
    return best
  }
}

/// What passes of some rows take, learnt from those that were made.
package struct StepCosts: Sendable, Equatable {
  /// Mean seconds by rows, later ones counting more.
  private var means: [Double?] = Array(repeating: nil, count: 33)
  private static let weight = 0.1

  package init() {}

  package mutating func record(rows: Int, seconds: Double) {
    guard rows > 0, means.indices.contains(rows), seconds > 0, seconds.isFinite else { return }
    means[rows] = means[rows].map { $0 + Self.weight * (seconds - $0) } ?? seconds
  }

  /// Nil until there was a pass of about as many rows.
  package func policy(replies: Int) -> SpeculationPolicy? {
    let known = means.enumerated().compactMap { rows, mean in mean.map { (rows: Double(rows), seconds: $0) } }
    func distance(_ rows: Double) -> Double { abs(rows - Double(replies)) }
    guard let least = known.first, let nearest = known.min(by: { distance($0.rows) < distance($1.rows) })
    else { return nil }
    var row = least.seconds / (3 + least.rows)  // reading the weights is most of it; until it is known better
    if let most = known.last, most.rows > least.rows {
      row = max(0, (most.seconds - least.seconds) / (most.rows - least.rows))
    }
    let pass = max(nearest.seconds + (Double(replies) - nearest.rows) * row, nearest.seconds / 8)
    return SpeculationPolicy(pass: pass, row: row, replies: replies)
  }
}
