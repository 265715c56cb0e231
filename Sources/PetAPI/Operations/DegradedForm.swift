// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// That a smaller model answers than the one that was meant; null in its place: it does not.
package struct DegradedForm: Codable, Sendable, Equatable {
  /// The model that was meant.
  package let from: String
  /// For people.
  package let reason: String

  package init(from name: String, reason: String) {
    from = name
    self.reason = reason
  }

  /// Of a model that is one of a program's own; nil where it is the best of its variants.
  package init?(_ facts: ModelFacts) {
    guard facts.stepsDown > 0 else { return nil }
    self.init(from: facts.best, reason: facts.reason ?? "unknown")
  }
}
