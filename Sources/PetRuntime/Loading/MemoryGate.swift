// SPDX-License-Identifier: Apache-2.0
/// Asked by a model before it takes memory.
struct MemoryGate: Sendable {
  /// Reserves `bytes`, which may unload idle models.
  var reserve: @Sendable (_ bytes: UInt64) async throws -> MemoryReservation?
  /// How a version of `new` bytes may follow one of `old` bytes that is loaded.
  var plan: @Sendable (_ old: UInt64, _ new: UInt64) async -> SwapPlan
  /// What there is now; nil: nothing bounds it.
  var memory: @Sendable () async -> MemoryBudget?
  var budget: UInt64

  /// For a model outside of a runtime: nothing is bounded.
  static let open = MemoryGate(reserve: { _ in nil }, plan: { _, _ in .beside }, memory: { nil }, budget: .max)
}
