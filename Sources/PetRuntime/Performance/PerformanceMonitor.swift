// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Synchronization

/// Records every inference of all models of a program, in bounded memory, and evaluates each model at most once a second while it is
/// used. Runs no timer.
///
/// ```swift
/// let result = try await runtime.measure("pose") { try await pose.classify(frame) }
/// for await alert in runtime.performance.alerts { print(alert.message) }
/// ```
public final class PerformanceMonitor: Sendable {
  private let recorders = Mutex<[String: InferenceRecorder]>([:])
  private let news = Broadcast<PerformanceAlert>()
  private let judgements = Broadcast<PerformanceStatistics>()
  private let now: @Sendable () -> Duration
  private let metrics: MonitorMetrics
  private let readPower: @Sendable () -> PowerFacts
  private let power = Mutex<(isOnBattery: Bool, time: Duration)?>(nil)
  /// Chargers are plugged in and out no faster than this.
  private static let powerInterval = Duration.seconds(5)

  /// - Parameters:
  ///   - metrics: where figures go beside; asked when a model is first named.
  ///   - power: asked at most every five seconds, while a model is used.
  ///   - now: time since a fixed moment.
  public init(
    metrics: @escaping @Sendable () -> any MetricsFactory = { MetricsSystem.factory },
    power: @escaping @Sendable () -> PowerFacts = { .read() },
    now: @escaping @Sendable () -> Duration = PerformanceMonitor.uptime()
  ) {
    self.now = now
    readPower = power
    self.metrics = MonitorMetrics(metrics)
  }

  public static func uptime() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
  }

  /// The recorder of a model; keep it where inferences are frequent.
  package func recorder(for model: String) -> InferenceRecorder {
    recorders.withLock { known in
      let recorder = known[model] ?? InferenceRecorder(model, metrics.series(of: model))
      known[model] = recorder
      return recorder
    }
  }

  public func setTargets(_ targets: PerformanceTargets, for model: String) { recorder(for: model).targets = targets }

  /// Records an inference: less than a microsecond, except once a second, when the model is evaluated too.
  package func record(_ sample: InferenceSample, by recorder: InferenceRecorder) {
    let time = now()
    guard recorder.record(sample, at: time) else { return }
    judge(recorder, at: time)
  }

  /// Judges a model of which nothing is recorded just now: what was not well may be over.
  func review(_ model: String) {
    guard let recorder = recorders.withLock({ $0[model] }) else { return }
    judge(recorder, at: now())
  }

  private func judge(_ recorder: InferenceRecorder, at time: Duration) {
    let (statistics, alerts) = recorder.judge(at: time, isOnBattery: isOnBattery(at: time))
    metrics.record(statistics, alerts, in: recorder.series)
    for alert in alerts { news.send(alert) }
    judgements.send(statistics)
  }

  private func isOnBattery(at time: Duration) -> Bool {
    if let known = power.withLock({ $0 }), time - known.time < Self.powerInterval { return known.isOnBattery }
    // Not under the lock: some machines take milliseconds to ask their battery.
    let isOnBattery = readPower().isOnBattery
    power.withLock { $0 = (isOnBattery, time) }
    return isOnBattery
  }

  public func record(_ sample: InferenceSample, of model: String) { record(sample, by: recorder(for: model)) }

  /// Statistics of one model; nil: nothing was recorded.
  public func statistics(for model: String) -> PerformanceStatistics? {
    let recorder = recorders.withLock { $0[model] }
    return (recorder?.statistics(at: now())).flatMap { $0.count > 0 ? $0 : nil }
  }

  /// Statistics of all models with recorded inferences, by name.
  public var statistics: [PerformanceStatistics] {
    let time = now()
    return recorders.withLock { Array($0.values) }.map { $0.statistics(at: time) }.filter { $0.count > 0 }
      .sorted { $0.model < $1.model }
  }

  /// Alerts that are active, by model.
  public var activeAlerts: [PerformanceAlert] {
    recorders.withLock { $0.values.sorted { $0.model < $1.model } }.flatMap(\.activeAlerts)
  }

  /// Alerts from now on, without flapping: see the thresholds in the documentation.
  public var alerts: AsyncStream<PerformanceAlert> { news.stream() }

  /// How a model fares, each time that was looked at: at most once a second for each, while it is used.
  var statisticsStream: AsyncStream<PerformanceStatistics> { judgements.stream() }
}
