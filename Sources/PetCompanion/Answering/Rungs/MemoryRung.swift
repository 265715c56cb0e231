// SPDX-License-Identifier: Apache-2.0
/// A question for what the person told is answered from the store: a model would make something up.
enum MemoryRung {
  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard case .known(let reply) = facts.recollection else { return nil }
    return WrittenReply(.memory, reply)
  }
}
