// SPDX-License-Identifier: Apache-2.0
/// How a newer version replaces a loaded one.
package enum SwapPlan: Sendable, Equatable {
  /// Both are in memory for a while: uses continue without a pause.
  case beside
  /// The old one is unloaded first: new uses wait meanwhile.
  case after
  /// It does not fit in the old one's place either: what there would be.
  case refuse(available: UInt64)

  /// - Parameters:
  ///   - old: bytes of the loaded version.
  ///   - new: bytes of the newer one.
  ///   - memory: as for any other load; `idle` without this model.
  package static func decide(old: UInt64, new: UInt64, memory: MemoryBudget) -> SwapPlan {
    if case .refuse = memory.decide(needed: new) {} else { return .beside }
    var without = memory
    without.reserved = memory.reserved.saturatingSubtract(old)
    without.room = memory.room.map { $0.saturatingAdd(old) }
    if case .refuse(let available) = without.decide(needed: new) { return .refuse(available: available) }
    return .after
  }
}
