// SPDX-License-Identifier: Apache-2.0
/// How many tokens of a context each part may take; what they leave is for the turns. Pure.
struct ContextBudget: Sendable, Equatable {
  let capacity: Int
  /// Who the pet is, its rules and its state.
  let system: Int
  let memories: Int
  let summary: Int
  /// No message may take the place of the conversation.
  let message: Int
  /// Kept free.
  let reply: Int

  /// - Parameter reply: most tokens of one: a cap far above any reply must not empty the history.
  init(capacity: Int, reply: Int) {
    self.capacity = max(0, capacity)
    system = self.capacity / 3
    memories = self.capacity / 8
    summary = self.capacity / 16
    message = max(1, self.capacity / 3)
    self.reply = min(max(0, reply), self.capacity / 4)
  }
}
