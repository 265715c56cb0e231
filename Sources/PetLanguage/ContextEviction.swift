// SPDX-License-Identifier: Apache-2.0
/// What to do when a conversation has outgrown its context. A pure decision; the session carries it out.
package enum ContextEviction: Equatable {
  case fits
  /// Leave out whole turns, oldest first, until at most `target` tokens remain.
  case shrink(target: Int)
  /// The newest message alone is too long.
  case impossible

  /// - Parameters:
  ///   - prompt: tokens of the whole conversation with the new message.
  ///   - minimum: tokens of the system text and the new message alone.
  ///   - reserve: tokens kept free for the reply.
  ///   - capacity: tokens of the context.
  ///   - keepsMost: whether no more goes than this turn needs.
  package static func decide(
    prompt: Int, minimum: Int, reserve: Int, capacity: Int, keepsMost: Bool = false
  ) -> ContextEviction {
    if prompt + reserve <= capacity { return .fits }
    if minimum + reserve > capacity { return .impossible }
    if keepsMost { return .shrink(target: capacity - reserve) }
    // Every eviction changes the start of the conversation, and all after it must be computed anew: shrinking to half
    // makes that rare instead of happening at every turn once the context is full.
    return .shrink(target: max(minimum, capacity / 2))
  }
}
