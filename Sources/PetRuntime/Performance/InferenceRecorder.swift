// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What is known of one model's inferences, about 40 KB. One record takes less than a microsecond.
package final class InferenceRecorder: Sendable {
  private struct State {
    var window = LatencyWindow()
    var battery = MinuteSums()
    var count: UInt64 = 0
    var memory: UInt64 = 0
    var isOnBattery = false
    var targets = PerformanceTargets()
    var limit = UInt64.max
    var judged: Duration?
    var alerts = AlertTracker()
  }

  /// At most so often is judged how it fares, and only when it was used.
  static let judgingInterval = Duration.seconds(1)

  package let model: String
  private let state = Mutex(State())

  let series: MonitorMetrics.Series

  init(_ model: String, _ series: MonitorMetrics.Series) {
    self.model = model
    self.series = series
  }

  package var targets: PerformanceTargets {
    get { state.withLock { $0.targets } }
    set {
      state.withLock { state in
        state.targets = newValue
        state.limit = newValue.latency?.wholeMicroseconds ?? .max
      }
    }
  }

  /// Whether it is time to judge.
  package func record(_ sample: InferenceSample, at time: Duration) -> Bool {
    let latency = sample.latency.wholeMicroseconds
    let percent = sample.unit.percent(for: sample.busy)
    series.latency.recordNanoseconds(Int64(clamping: latency.multipliedReportingOverflow(by: 1000).partialValue))
    return state.withLock { state in
      state.window.record(latency, isKept: latency <= state.limit, at: time)
      state.battery.add(percent, at: time)
      state.count &+= 1
      if sample.memory > 0 { state.memory = sample.memory }
      if let judged = state.judged, time - judged < Self.judgingInterval { return false }
      state.judged = time
      return true
    }
  }

  package func statistics(at time: Duration) -> PerformanceStatistics {
    state.withLock { Self.statistics(model, $0, at: time) }
  }

  /// How it fares, and what there is to tell of that.
  /// - Parameter isOnBattery: whether a battery feeds the machine.
  func judge(at time: Duration, isOnBattery: Bool) -> (statistics: PerformanceStatistics, news: [PerformanceAlert]) {
    state.withLock { state in
      state.isOnBattery = isOnBattery
      let statistics = Self.statistics(model, state, at: time)
      return (statistics, state.alerts.update(statistics, at: time))
    }
  }

  /// What is not well, by the last look.
  package var activeAlerts: [PerformanceAlert] { state.withLock { $0.alerts.active } }
  /// Of that, what is as bad by the last figures themselves.
  var pressingAlerts: [PerformanceAlert] { state.withLock { $0.alerts.pressing } }
  /// What is not well by figures of what serves now.
  var standingAlerts: [PerformanceAlert] { state.withLock { $0.alerts.standing } }

  /// Something was changed: what was measured before says nothing of how it fares now.
  func beginAnew(at time: Duration) {
    state.withLock { state in
      state.window = LatencyWindow()
      _ = state.alerts.update(Self.statistics(model, state, at: time), at: time)
    }
  }

  private static func statistics(_ model: String, _ state: State, at time: Duration) -> PerformanceStatistics {
    let summary = state.window.summary(at: time)
    func duration(_ microseconds: UInt64) -> Duration { .microseconds(Int64(clamping: microseconds)) }
    return PerformanceStatistics(
      model: model, count: state.count, recentCount: UInt64(summary.count), mean: duration(summary.mean),
      p50: duration(summary.p50), p95: duration(summary.p95), p99: duration(summary.p99),
      compliance: state.targets.latency == nil || summary.count == 0 ? nil : summary.compliance, memory: state.memory,
      batteryPerHalfHour: state.battery.total(at: time), isOnBattery: state.isOnBattery, targets: state.targets)
  }
}

extension Duration {
  /// Rounded down; below zero it is 0.
  package var wholeMicroseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000_000)).partialValue
  }
}
