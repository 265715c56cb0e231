// SPDX-License-Identifier: Apache-2.0
import CoreMetrics

/// The figures for whatever backend the program has bootstrapped. Labels are names of models and fixed words.
final class MonitorMetrics: Sendable {
  struct Series: Sendable {
    let latency: Timer
    let memory: Gauge
    let battery: Gauge
    let compliance: Gauge
  }

  private let factory: @Sendable () -> any MetricsFactory

  init(_ factory: @escaping @Sendable () -> any MetricsFactory) { self.factory = factory }

  func record(_ statistics: PerformanceStatistics, _ alerts: [PerformanceAlert], in series: Series) {
    if statistics.memory > 0 { series.memory.record(Double(statistics.memory)) }
    series.battery.record(statistics.batteryPerHalfHour)
    if let compliance = statistics.compliance { series.compliance.record(compliance) }
    for alert in alerts {
      let severity = alert.severity.map { "\($0)" } ?? "recovered"
      Counter(
        label: "pet_performance_alerts_total",
        dimensions: [("model", alert.model), ("kind", alert.kind.rawValue), ("severity", severity)], factory: factory()
      ).increment()
    }
  }

  func series(of model: String) -> Series {
    let (labels, factory) = ([("model", model)], factory())
    return Series(
      latency: Timer(label: "pet_inference_latency", dimensions: labels, factory: factory),
      memory: Gauge(label: "pet_inference_memory_bytes", dimensions: labels, factory: factory),
      battery: Gauge(label: "pet_battery_percent_per_half_hour", dimensions: labels, factory: factory),
      compliance: Gauge(label: "pet_inference_compliance", dimensions: labels, factory: factory))
  }
}
