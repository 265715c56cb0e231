// SPDX-License-Identifier: Apache-2.0
import PetCompanion

/// What a model had before it for one reply, in tokens, and what there was no room for.
package struct ContextReport: Sendable, Equatable, Codable {
  package let capacity: Int
  /// Of the system text.
  package let system: [SystemText.Part: Int]
  /// Earlier turns, whole, with what the model was told before them.
  package let turns: Int
  package let message: Int
  /// What the chat template puts around them.
  package let frame: Int
  /// Kept free for the reply.
  package let reply: Int
  package let omitted: Omitted

  /// What there was no room for.
  package struct Omitted: Sendable, Equatable, Codable {
    /// Turns that this reply was the first to go without.
    package var turns = 0
    package var memories = 0
    /// Parts of the persona that are not in the system text, or not whole.
    package var persona: [PersonaPart] = []

    package init() {}
  }

  /// All that was read, the system text and the message with it.
  package var used: Int { system.values.reduce(turns + message + frame, +) }
}
