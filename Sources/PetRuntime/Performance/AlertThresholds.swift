// SPDX-License-Identifier: Apache-2.0
/// From where on a figure is worth an alert: the seed's limits of latency, memory, battery and compliance.
enum AlertThresholds {
  /// Below so few inferences nothing is said of percentiles and shares.
  static let fewest: UInt64 = 16
  /// An alert is over when its figure is this part of the way back from the limit, so that a figure at the limit raises it once.
  package static let margin = 0.1

  /// What a figure of a kind is compared with, and how it is shown.
  struct Reading: Sendable, Equatable {
    package var kind: PerformanceAlert.Kind
    /// The larger, the worse.
    package var value: Double
    package var warning: Double
    package var critical: Double
    var text: String

    /// The worst that it is now.
    package var severity: PerformanceAlert.Severity? { value > critical ? .critical : value > warning ? .warning : nil }

    /// The worst that it may still be called when it was bad before.
    var held: PerformanceAlert.Severity? {
      let scale = 1 - AlertThresholds.margin
      return value > critical * scale ? .critical : value > warning * scale ? .warning : nil
    }
  }

  static func readings(_ statistics: PerformanceStatistics) -> [Reading] {
    var readings: [Reading] = []
    let hasEnough = statistics.recentCount >= fewest
    let model = statistics.model
    if hasEnough, let target = statistics.targets.latency, target > .zero {
      readings.append(
        Reading(
          kind: .latency, value: statistics.p95 / target, warning: 1.5, critical: 2,
          text: "\(model): P95 latency \(milliseconds(statistics.p95)) ms, target \(milliseconds(target)) ms"))
    }
    if let target = statistics.targets.memory, target > 0 {
      readings.append(
        Reading(
          kind: .memory, value: Double(statistics.memory) / Double(target), warning: 1.2, critical: 1.5,
          text: "\(model): \(statistics.memory / 1_000_000) MB of memory, \(target / 1_000_000) MB required"))
    }
    readings.append(
      Reading(
        // What discharges no battery costs none.
        kind: .battery, value: statistics.isOnBattery ? statistics.batteryPerHalfHour : 0, warning: 12, critical: 15,
        text: "\(model): \(percent(statistics.batteryPerHalfHour)) % of the battery in 30 minutes, aim below 10"))
    if hasEnough, let compliance = statistics.compliance {
      readings.append(
        Reading(
          kind: .compliance, value: 1 - compliance, warning: 0.1, critical: 0.2,
          text: "\(model): \(percent(compliance * 100)) % of inferences within the target"))
    }
    return readings
  }

  private static func milliseconds(_ time: Duration) -> String { percent(time / .milliseconds(1)) }
  private static func percent(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }
}
