import CoreMetrics
import Synchronization

/// The figures for whatever backend the program has bootstrapped. Labels are names of models and fixed words.
final class MonitorMetrics: Sendable {
  private struct Series: Sendable {
    let latency: Timer
    let memory: Gauge
    let battery: Gauge
    let compliance: Gauge
  }

  private let factory: @Sendable () -> any MetricsFactory
  private let series = Mutex<[String: Series]>([:])

  init(_ factory: @escaping @Sendable () -> any MetricsFactory) { self.factory = factory }

  package func record(_ sample: InferenceSample, of model: String) {
    series(of: model).latency.recordNanoseconds(Int64(clamping: sample.latency.wholeMicroseconds &* 1000))
  }

  package func record(_ statistics: PerformanceStatistics, _ alerts: [PerformanceAlert]) {
    let series = series(of: statistics.model)
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

  private func series(of model: String) -> Series {
    series.withLock { known in
      if let found = known[model] { return found }
      let (labels, factory) = ([("model", model)], factory())
      let made = Series(
        latency: Timer(label: "pet_inference_latency", dimensions: labels, factory: factory),
        memory: Gauge(label: "pet_inference_memory_bytes", dimensions: labels, factory: factory),
        battery: Gauge(label: "pet_battery_percent_per_half_hour", dimensions: labels, factory: factory),
        compliance: Gauge(label: "pet_inference_compliance", dimensions: labels, factory: factory))
      known[model] = made
      return made
    }
  }
}
