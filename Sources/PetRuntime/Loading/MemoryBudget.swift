// SPDX-License-Identifier: Apache-2.0
/// Decides whether a model may be loaded, and which idle models are evicted for it.
///
/// The budget bounds all models together. What the machine and the control group still have bounds them too, and may be
/// less.
package struct MemoryBudget: Sendable, Equatable {
  /// Bytes that all loaded models may take.
  package var budget: UInt64
  /// Bytes that loaded and loading models have of it.
  package var reserved: UInt64
  /// Bytes that can be had from the machine and the control group, without those promised to models that are loading; nil
  /// where nothing says.
  package var room: UInt64?
  /// Loaded models that nobody uses.
  package var idle: [IdleModel]

  package init(budget: UInt64 = ModelRuntime.standardBudget, reserved: UInt64, room: UInt64?, idle: [IdleModel] = []) {
    self.budget = budget
    self.reserved = reserved
    self.room = room
    self.idle = idle
  }

  package struct IdleModel: Sendable, Equatable {
    package var name: String
    package var bytes: UInt64
    /// Orders uses: the smaller, the longer ago.
    package var lastUse: UInt64

    package init(name: String, bytes: UInt64, lastUse: UInt64) {
      self.name = name
      self.bytes = bytes
      self.lastUse = lastUse
    }
  }

  package enum Decision: Sendable, Equatable {
    case load
    /// Evict these first, the least recently used first.
    case evict([String])
    /// It would not fit with all idle models gone: what there would be then.
    case refuse(available: UInt64)
  }

  /// Decides about a model of `needed` bytes. O(n log n) in idle models.
  package func decide(needed: UInt64) -> Decision {
    if needed <= available(freeing: 0) { return .load }
    var freed: UInt64 = 0
    var victims: [String] = []
    for model in idle.sorted(by: { $0.lastUse < $1.lastUse }) {
      freed = freed.saturatingAdd(model.bytes)
      victims.append(model.name)
      if needed <= available(freeing: freed) { return .evict(victims) }
    }
    return .refuse(available: available(freeing: freed))
  }

  /// Bytes for another model, with none of the idle ones gone.
  package var available: UInt64 { available(freeing: 0) }

  /// Bytes for another model once `freed` bytes of models have gone.
  func available(freeing freed: UInt64) -> UInt64 {
    min(budget.saturatingSubtract(reserved.saturatingSubtract(freed)), room?.saturatingAdd(freed) ?? .max)
  }
}
