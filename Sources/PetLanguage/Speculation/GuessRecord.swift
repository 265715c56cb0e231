// SPDX-License-Identifier: Apache-2.0
/// How good the guesses for one reply were.
package struct GuessRecord: Sendable, Equatable {
  /// How likely a guess is right if those before it were; later ones count more.
  package private(set) var acceptance = 0.6
  package private(set) var guessed = 0
  package private(set) var accepted = 0
  /// Tokens since guessing did not pay.
  private var rest = 0

  /// Replies change: after so many tokens without a guess it is worth trying one.
  private static let patience = 32

  package init() {}

  package mutating func record(guessed count: Int, accepted right: Int) {
    guessed += count
    accepted += right
    rest = 0
    // Each guess up to the first wrong one is a trial.
    for index in 0..<min(count, right + 1) { acceptance += 0.15 * ((index < right ? 1 : 0) - acceptance) }
  }

  /// How many to guess where `best` would pay.
  package mutating func count(_ best: Int) -> Int {
    guard best == 0 else { return best }
    rest += 1
    return rest > Self.patience ? 1 : 0
  }
}
