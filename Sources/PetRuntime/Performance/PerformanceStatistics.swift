// SPDX-License-Identifier: Apache-2.0
/// Statistics of a model over its recent inferences: up to 192 of the last half hour, since the model last changed.
public struct PerformanceStatistics: Sendable, Equatable {
  public var model: String
  /// All inferences since the program began.
  public var count: UInt64
  /// Recent inferences, which all other figures are about.
  public var recentCount: UInt64
  public var mean: Duration
  public var p50: Duration
  public var p95: Duration
  public var p99: Duration
  /// The part of them within the latency target, from 0 to 1; nil without a target or without inferences.
  public var compliance: Double?
  /// Bytes that the model held at its last inference.
  public var memory: UInt64
  /// Percent of a battery in the last half hour, by ``ComputeUnit/percent(for:)``.
  public var batteryPerHalfHour: Double
  /// Whether a battery feeds the machine: the estimate is judged only then.
  public var isOnBattery: Bool
  public var targets: PerformanceTargets

  package init(
    model: String, count: UInt64 = 0, recentCount: UInt64 = 0, mean: Duration = .zero, p50: Duration = .zero,
    p95: Duration = .zero, p99: Duration = .zero, compliance: Double? = nil, memory: UInt64 = 0,
    batteryPerHalfHour: Double = 0, isOnBattery: Bool = false, targets: PerformanceTargets = PerformanceTargets()
  ) {
    self.model = model
    self.count = count
    self.recentCount = recentCount
    self.mean = mean
    self.p50 = p50
    self.p95 = p95
    self.p99 = p99
    self.compliance = compliance
    self.memory = memory
    self.batteryPerHalfHour = batteryPerHalfHour
    self.isOnBattery = isOnBattery
    self.targets = targets
  }
}
