// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// What a rung says.
package struct WrittenReply: Sendable, Equatable {
  package var reply: Reply
  package let rung: Rung
  /// Number of the exchange in the bank.
  package var exchange: Int?
  /// Whether it says back what the person wrote.
  package var isReflection = false
  /// Nil: it is said whatever a model would write.
  package var expectation: Expectation?
  /// How likely it is right, from 0 to 1.
  package var rightness = 1.0
  /// What becomes of a game with it.
  package var pastime: PastimeChange?
  /// Lines of the conversation that go with it.
  package var forgets: ForgottenWords?

  package init(_ rung: Rung, _ reply: Reply) { (self.rung, self.reply) = (rung, reply) }
}
