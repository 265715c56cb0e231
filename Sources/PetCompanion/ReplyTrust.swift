// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How likely a model's reply is right, by how surprising its own words are to the model: what a small model has learned it says with
/// probability, what it makes up it does not (arXiv:2207.05221). A logistic regression on replies that a reader judged.
package struct ReplyTrust: Sendable, Equatable {
  /// Nats of a reply, of which every second one is right.
  package let evenSurprise: Double
  /// Nats that make the odds e times worse.
  package let scale: Double

  package init(evenSurprise: Double, scale: Double) {
    (self.evenSurprise, self.scale) = (evenSurprise, scale)
  }

  /// From 0 to 1.
  /// - Parameter surprise: the negative logarithm of the reply's probability, in nats.
  package func rightness(surprise: Double) -> Double { 1 / (1 + exp((surprise - evenSurprise) / scale)) }
}
