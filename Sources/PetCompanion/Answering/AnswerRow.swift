// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// One row of ``AnswerPolicy``.
package struct AnswerRow: Sendable {
  /// When a rung's words are said.
  package enum Way: Sendable {
    /// At once, before memory is read: nothing may keep them from being said.
    case first
    /// At once.
    case says
    /// Where the model's reply is not as the rung expects. No row below says anything at once then.
    case holds
    /// Where they are likelier right than the reply of a weak model.
    case offers
    /// Where the same request was answered before.
    case repeats
    /// Where no row above says anything at once.
    case asks
    /// Where the model's reply may not be said.
    case mends
  }

  package let rung: Rung
  package let way: Way
  /// Whether it answers a line that may tell of danger, while danger is minded, and in the place of a model that is not simple.
  package let gates: (nearDanger: Bool, watching: Bool, capable: Bool)
  let words: @Sendable (TurnFacts) -> WrittenReply?

  init(
    _ rung: Rung, _ way: Way, _ nearDanger: Bool, _ watching: Bool, _ capable: Bool,
    _ words: @escaping @Sendable (TurnFacts) -> WrittenReply? = { _ in nil }
  ) {
    (self.rung, self.way, self.words) = (rung, way, words)
    gates = (nearDanger, watching, capable)
  }

  /// - Parameter open: rungs that may answer.
  package func isOpen(to facts: TurnFacts, _ open: Set<Rung>) -> Bool {
    open.contains(rung) && (gates.nearDanger || !facts.isNearDanger)
      && (gates.watching || !facts.safety.isWatching) && (gates.capable || facts.model.isSimple)
  }
}
