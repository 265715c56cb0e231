// SPDX-License-Identifier: Apache-2.0
import PetCompanion

/// What a model had before it for one reply, in tokens, and what there was no room for.
public struct ContextReport: Sendable, Equatable, Codable {
  public let capacity: Int
  /// Of the system text.
  public let system: [SystemText.Part: Int]
  /// Earlier turns, whole, with what the model was told before them.
  public let turns: Int
  public let message: Int
  /// What the chat template puts around them.
  public let frame: Int
  /// Kept free for the reply.
  public let reply: Int
  public let omitted: Omitted

  /// What there was no room for.
  public struct Omitted: Sendable, Equatable, Codable {
    /// Turns that this reply was the first to go without.
    public var turns = 0
    public var memories = 0
    /// Parts of the persona that are not in the system text, or not whole.
    public var persona: [PersonaPart] = []

    public init() {}
  }

  /// All that was read, the system text and the message with it.
  public var used: Int { system.values.reduce(turns + message + frame, +) }
}
