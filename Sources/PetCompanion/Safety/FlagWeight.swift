// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a language model's flag adds to what the small classifier says of a line: a logistic regression on the logarithms of
/// both odds, for every model of this project the same (`Training/evaluate/flag_weight.py`). It finds danger that the classifier alone
/// does not, and clears nothing.
package enum FlagWeight: Sendable, Equatable {
  /// The line tells of danger, whatever a flag says.
  case needless
  /// It does where the flag is likelier than this, from 0 to 1.
  case above(Float)
  /// It does not, whatever a flag says.
  case nothing

  private static let bias = 0.890
  private static let ofClassifier = 0.690
  private static let ofFlag = 0.354
  /// A flag is never surer than this, nor is its absence.
  private static let least = 1e-4

  /// - Parameters:
  ///   - likelihood: of danger, by the classifier.
  ///   - threshold: how likely danger must be by both together; from 0 to 1, ends excluded.
  package init(classifier likelihood: Float, threshold: Float) {
    let rest = Self.logOdds(Double(threshold)) - Self.bias - Self.ofClassifier * Self.logOdds(Double(likelihood))
    let flag = 1 / (1 + exp(-rest / Self.ofFlag))
    self = flag <= Self.least ? .needless : flag >= 1 - Self.least ? .nothing : .above(Float(flag))
  }

  private static func logOdds(_ likelihood: Double) -> Double {
    let bounded = min(max(likelihood, least), 1 - least)
    return log(bounded / (1 - bounded))
  }
}
