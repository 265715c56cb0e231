// SPDX-License-Identifier: Apache-2.0
/// What is given up at which memory pressure.
public enum PressurePolicy {
  public enum Action: Sendable, Equatable {
    case clearCaches
    /// Only if nobody uses it when it comes to that.
    case unload(String)
    /// To the next smaller variant, after the uses that run.
    case degrade(String)
  }

  /// What to do, in this order.
  ///
  /// A warning costs what nobody misses: caches, and idle models but the one used last, which is likely to be used next. At
  /// critical pressure every loaded model steps down where there is a smaller variant; of the others, those that nobody
  /// uses go. What is in use stays: to break a reply is no way to save memory.
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
