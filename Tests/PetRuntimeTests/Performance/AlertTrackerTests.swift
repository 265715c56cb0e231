// SPDX-License-Identifier: Apache-2.0
import Testing

import PetRuntime

@Suite("Alerts")
struct AlertTrackerTests {
  private static func statistics(
    p95: Double = 1, memory: UInt64 = 100, battery: Double = 0, compliance: Double = 1, count: UInt64 = 100
  ) -> PerformanceStatistics {
    PerformanceStatistics(
      model: "pose", count: count, recentCount: count, p95: .milliseconds(p95 * 100), compliance: compliance,
      memory: memory, batteryPerHalfHour: battery, isOnBattery: battery > 0,
      targets: PerformanceTargets(latency: .milliseconds(100), memory: 100))
  }

  /// The seed's thresholds: nothing at the limit itself, an alert just above.
  @Test(
    "each threshold is crossed by a hair, and not before",
    arguments: [
      (statistics(p95: 1.5), nil, PerformanceAlert.Kind.latency), (statistics(p95: 1.501), .warning, .latency),
      (statistics(p95: 2), .warning, .latency), (statistics(p95: 2.001), .critical, .latency),
      (statistics(memory: 120), nil, .memory), (statistics(memory: 121), .warning, .memory),
      (statistics(memory: 150), .warning, .memory), (statistics(memory: 151), .critical, .memory),
      (statistics(battery: 12), nil, .battery), (statistics(battery: 12.001), .warning, .battery),
      (statistics(battery: 15), .warning, .battery), (statistics(battery: 15.001), .critical, .battery),
      (statistics(compliance: 0.901), nil, .compliance), (statistics(compliance: 0.899), .warning, .compliance),
      (statistics(compliance: 0.801), .warning, .compliance), (statistics(compliance: 0.799), .critical, .compliance),
    ] as [(PerformanceStatistics, PerformanceAlert.Severity?, PerformanceAlert.Kind)])
  func thresholds(statistics: PerformanceStatistics, severity: PerformanceAlert.Severity?, kind: PerformanceAlert.Kind)
  {
    var tracker = AlertTracker()
    let news = tracker.update(statistics, at: .zero)
    #expect(news.map(\.severity) == (severity == nil ? [] : [severity]))
    #expect(news.allSatisfy { $0.kind == kind } && tracker.active.map(\.severity) == news.map(\.severity))
  }

  @Test("it ends when it was clearly better for a while, and is told once", arguments: PerformanceAlert.Kind.allCases)
  func recovery(kind: PerformanceAlert.Kind) {
    func at(_ part: Double) -> PerformanceStatistics {
      switch kind {
      case .latency: Self.statistics(p95: 1.5 * part)
      case .memory: Self.statistics(memory: UInt64(120 * part))
      case .battery: Self.statistics(battery: 12 * part)
      case .compliance: Self.statistics(compliance: 1 - 0.1 * part)
      }
    }
    var tracker = AlertTracker()
    #expect(tracker.update(at(1.05), at: .seconds(0)).count == 1)
    // Within the margin nothing changes, however long.
    for second in 1...100 {
      #expect(tracker.update(at(0.95), at: .seconds(second)).isEmpty && tracker.active.count == 1)
    }
    for second in 101..<111 { #expect(tracker.update(at(0.5), at: .seconds(second)).isEmpty) }
    let news = tracker.update(at(0.5), at: .seconds(111))
    #expect(news.map(\.severity) == [nil] && tracker.active.isEmpty)
    #expect(tracker.update(at(0.5), at: .seconds(112)).isEmpty)
  }

  @Test("a figure that wavers about a limit raises one alert, however often")
  func noFlapping() {
    for limit in [1.5, 2.0] {
      var tracker = AlertTracker()
      var told = 0
      for second in 0..<3600 {
        told +=
          tracker.update(Self.statistics(p95: limit + (second % 2 == 0 ? 0.05 : -0.05)), at: .seconds(second)).count
      }
      #expect(told <= 2, "\(limit): \(told)")
    }
  }

  @Test("one that comes and goes wholly is told at most once a minute, and its end no more often than it")
  func rateLimit() {
    var tracker = AlertTracker()
    var news: [PerformanceAlert] = []
    for second in 0..<3600 {
      news += tracker.update(Self.statistics(p95: second % 26 < 13 ? 1.8 : 0.5), at: .seconds(second))
    }
    let raised = news.count { $0.severity != nil }
    #expect((30...60).contains(raised) && news.count - raised <= raised)
  }

  @Test("that it gets worse is told at once; that it is less bad is not told, but what is on says it")
  func escalation() {
    var tracker = AlertTracker()
    #expect(tracker.update(Self.statistics(p95: 1.6), at: .seconds(0)).map(\.severity) == [.warning])
    #expect(tracker.update(Self.statistics(p95: 2.5), at: .seconds(1)).map(\.severity) == [.critical])
    for second in 2...12 { #expect(tracker.update(Self.statistics(p95: 1.6), at: .seconds(second)).isEmpty) }
    #expect(tracker.active.map(\.severity) == [.warning])
  }

  @Test(
    "what computing would cost a battery that feeds nothing raises no alert, and one that is on ends with the charger")
  func charger() {
    func at(_ isOnBattery: Bool) -> PerformanceStatistics {
      PerformanceStatistics(model: "pose", batteryPerHalfHour: 45, isOnBattery: isOnBattery)
    }
    var tracker = AlertTracker()
    #expect(tracker.update(at(false), at: .zero).isEmpty && tracker.active.isEmpty)
    #expect(tracker.update(at(true), at: .seconds(1)).map(\.severity) == [.critical])
    for second in 2..<12 { #expect(tracker.update(at(false), at: .seconds(second)).isEmpty) }
    #expect(tracker.update(at(false), at: .seconds(12)).map(\.severity) == [nil] && tracker.active.isEmpty)
  }

  @Test("of a few inferences nothing is said but what needs no many")
  func few() {
    var tracker = AlertTracker()
    #expect(tracker.update(Self.statistics(p95: 9, compliance: 0, count: 15), at: .zero).isEmpty)
    #expect(
      tracker.update(Self.statistics(p95: 9, memory: 500, compliance: 0, count: 15), at: .zero).map(\.kind) == [.memory]
    )
  }
}
