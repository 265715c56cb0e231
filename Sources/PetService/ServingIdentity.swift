// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

/// Which model answers, and for which it stands in.
package struct ServingIdentity: Sendable, Equatable {
  package let identity: ModelIdentity
  /// Nil: it is the one that the daemon is to answer with.
  package let degraded: DegradedForm?

  init(_ identity: ModelIdentity, standsInFor name: String?, reason: String?) {
    self.identity = identity
    degraded = name.map { DegradedForm(from: $0, reason: reason ?? "unknown") }
  }
}
