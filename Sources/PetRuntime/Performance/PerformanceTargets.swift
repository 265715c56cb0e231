// SPDX-License-Identifier: Apache-2.0
/// Limits that a model is held to. Where one is nil, no alert is raised for it.
public struct PerformanceTargets: Sendable, Equatable {
  /// 95 of 100 inferences take no longer.
  public var latency: Duration?
  /// Bytes.
  public var memory: UInt64?

  public init(latency: Duration? = nil, memory: UInt64? = nil) {
    self.latency = latency
    self.memory = memory
  }
}
