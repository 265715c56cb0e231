// SPDX-License-Identifier: Apache-2.0
/// Decides what to release at which memory pressure. A pure function.
public enum PressurePolicy {
  public enum Action: Sendable, Equatable {
    case clearCaches
    /// Skipped where the model is in use by then.
    case unload(String)
    /// To the next smaller variant, after the running uses.
    case degrade(String)
  }

  /// The actions, in order.
  ///
  /// A warning releases caches and idle models, except the one used last, which is likely to be used next. At critical pressure
  /// every loaded model degrades where there is a smaller variant, and other idle models are unloaded. No running use is ended.
  package static func decide(_ level: MemoryPressureLevel, models: [ModelFacts]) -> [Action] {
    let loaded = models.filter { $0.state == .loaded }.sorted { $0.lastUse < $1.lastUse }
    switch level {
    case .normal: return []
    case .warning: return [.clearCaches] + loaded.dropLast().filter(\.isIdle).map { .unload($0.name) }
    case .critical:
      return [.clearCaches]
        + loaded.compactMap { $0.canDegrade ? .degrade($0.name) : $0.isIdle ? .unload($0.name) : nil }
    }
  }
}
