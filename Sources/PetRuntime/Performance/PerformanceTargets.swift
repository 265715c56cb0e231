// SPDX-License-Identifier: Apache-2.0
/// What a model is promised to keep to. What is nil is not judged.
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
