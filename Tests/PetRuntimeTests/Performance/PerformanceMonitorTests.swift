// SPDX-License-Identifier: Apache-2.0
import CInstrumentation
import CoreMetrics
import SeededGenerator
import Synchronization
import Testing

import PetRuntime

/// Time that stands still until it is told to go on.
final class StandingTime: Sendable {
  private let time = Mutex(Duration.zero)
  var now: Duration { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
  var closure: @Sendable () -> Duration { { [self] in now } }
}

@Suite("Performance monitor")
struct PerformanceMonitorTests {
  @Test("percentiles are those of a sorted list, to two digits, over the last slices only", arguments: [1, 2, 3])
  func percentiles(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var window = LatencyWindow()
    var values: [UInt64] = []
    for number in 0..<1000 {
      // From microseconds to seconds.
      let value = UInt64(
        Double.random(in: 1...10, using: &generator)
          * Double(UInt64(10) << UInt64.random(in: 0...20, using: &generator)))
      values.append(value)
      window.record(value, isKept: value < 5000, at: .milliseconds(number))
      let summary = window.summary(at: .milliseconds(number))
      // Full slices, and the one that fills.
      let slices =
        min(number / LatencyWindow.sliceCount, 2) * LatencyWindow.sliceCount + number % LatencyWindow.sliceCount + 1
      #expect(summary.count == slices)
      guard number % 97 == 0 else { continue }
      let recent = values.suffix(slices).sorted()
      func exact(_ percent: Double) -> Double {
        Double(recent[max(0, Int((percent / 100 * Double(slices)).rounded(.up)) - 1)])
      }
      for (found, percent) in [(summary.p50, 50.0), (summary.p95, 95), (summary.p99, 99)] {
        #expect(abs(Double(found) - exact(percent)) <= exact(percent) * 0.01 + 1, "P\(percent) of \(slices)")
      }
      #expect(summary.mean == recent.reduce(0, +) / UInt64(slices))
      #expect(summary.compliance == Double(recent.count { $0 < 5000 }) / Double(slices))
    }
  }

  @Test("what is old does not count, and what is absurd harms nothing")
  func edges() {
    var window = LatencyWindow()
    window.record(0, isKept: true, at: .zero)
    window.record(.max, isKept: false, at: .seconds(1))
    #expect(window.summary(at: .seconds(2)).count == 2 && window.summary(at: .seconds(2)).p99 <= 604_000_000)
    #expect(window.summary(at: .seconds(7200)) == LatencyWindow.Summary())
    window.record(5, isKept: true, at: .seconds(7200))
    #expect(window.summary(at: .seconds(7200)).count == 1)
    #expect(Duration.seconds(-5).wholeMicroseconds == 0 && Duration.microseconds(7).wholeMicroseconds == 7)
    #expect(Duration.seconds(Int64.max).wholeMicroseconds == .max)
  }

  @Test("the battery's half hour is the seed's formula, to the minute")
  func battery() {
    #expect(abs(ComputeUnit.cpu.percent(for: .milliseconds(100)) - 0.03) < 1e-12)
    #expect(abs(ComputeUnit.gpu.percent(for: .milliseconds(50)) - 0.01) < 1e-12)
    #expect(abs(ComputeUnit.accelerator.percent(for: .seconds(1)) - 0.1) < 1e-12)
    var sums = MinuteSums()
    for minute in 0..<90 { sums.add(1, at: .seconds(minute * 60)) }
    #expect(sums.total(at: .seconds(89 * 60 + 59)) == 30 && sums.total(at: .seconds(100 * 60)) == 19)
    #expect(sums.total(at: .seconds(1_000_000)) == 0)
    sums.add(2, at: .seconds(1_000_000))
    // A clock that goes back changes nothing.
    sums.add(2, at: .zero)
    #expect(sums.total(at: .seconds(1_000_000)) == 4)
  }

  @Test("statistics: of each model its own; none of one that was never used")
  func statistics() {
    let time = StandingTime()
    let monitor = PerformanceMonitor(metrics: { NOOPMetricsHandler.instance }, now: time.closure)
    monitor.setTargets(PerformanceTargets(latency: .milliseconds(50), memory: 100), for: "pose")
    #expect(monitor.statistics(for: "pose") == nil && monitor.statistics.isEmpty)
    for number in 1...100 {
      monitor.record(InferenceSample(latency: .milliseconds(number), memory: 70), of: "pose")
      monitor.record(InferenceSample(latency: .milliseconds(7), busy: .seconds(1), unit: .gpu), of: "voice")
    }
    let pose = monitor.statistics(for: "pose")
    #expect(pose?.count == 100 && pose?.compliance == 0.5 && pose?.memory == 70)
    #expect(
      pose.map { abs($0.mean / .milliseconds(1) - 50.5) < 0.6 && abs($0.p95 / .milliseconds(1) - 95) < 1 } == true)
    let voice = monitor.statistics(for: "voice")
    #expect(voice?.compliance == nil && voice.map { abs($0.batteryPerHalfHour - 20) < 1e-9 } == true)
    #expect(monitor.statistics.map(\.model) == ["pose", "voice"])
  }

  @Test("many threads record at once, and nothing is lost")
  func threads() async {
    let monitor = PerformanceMonitor(metrics: { NOOPMetricsHandler.instance })
    await withDiscardingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<5000 {
            monitor.record(InferenceSample(latency: .microseconds(number)), of: "model \(task % 2)")
            if number % 500 == 0 { _ = monitor.statistics }
          }
        }
      }
    }
    #expect(monitor.statistics.map(\.count) == [20_000, 20_000])
  }

  /// In a process of its own: other tests take memory too.
  @Test("memory does not grow with what is recorded")
  func memory() async {
    await #expect(processExitsWith: .success) {
      let monitor = PerformanceMonitor(metrics: { NOOPMetricsHandler.instance })
      let recorder = monitor.recorder(for: "pose")
      func record(_ count: Int) {
        for _ in 0..<count {
          monitor.record(InferenceSample(latency: .microseconds(.random(in: 1...9_000_000))), by: recorder)
        }
      }
      record(10_000)
      let before = allocated_bytes()
      record(50_000)
      let grown = allocated_bytes() - before
      // A latency kept of each would be 400,000 bytes.
      #expect(before > 0 && grown < 40_000, "\(grown) bytes")
    }
  }

  @Test("alerts come as a sequence, and figures go to swift-metrics")
  func alerts() async {
    let (time, metrics) = (StandingTime(), CountingMetrics())
    let monitor = PerformanceMonitor(metrics: { metrics }, now: time.closure)
    monitor.setTargets(PerformanceTargets(latency: .milliseconds(50)), for: "pose")
    var alerts = monitor.alerts.makeAsyncIterator()
    func run(_ milliseconds: Int) {
      for _ in 0..<300 {
        monitor.record(InferenceSample(latency: .milliseconds(milliseconds), unit: .accelerator), of: "pose")
        time.advance(by: .milliseconds(100))
      }
    }
    run(120)
    let first = await alerts.next()
    let second = await alerts.next()
    #expect(Set([first?.kind, second?.kind]) == [.latency, .compliance] && first?.severity == .critical)
    #expect(
      [first, second].contains {
        $0?.message == "pose: P95 latency 120.3 ms, target 50 ms"
          || $0?.message == "pose: P95 latency 120 ms, target 50 ms"
      }, "\(String(describing: first))")
    #expect(monitor.activeAlerts.count == 2)
    run(20)
    let recovered = [await alerts.next(), await alerts.next()]
    #expect(recovered.allSatisfy { $0?.severity == nil } && monitor.activeAlerts.isEmpty)
    #expect(
      metrics.names.isSuperset(of: [
        "pet_inference_latency", "pet_performance_alerts_total", "pet_inference_compliance",
      ]))
  }
}

/// Remembers which series there were.
final class CountingMetrics: MetricsFactory {
  private let seen = Mutex<Set<String>>([])
  var names: Set<String> { seen.withLock { $0 } }
  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    _ = seen.withLock { $0.insert(label) }
    return NOOPMetricsHandler.instance
  }
  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    _ = seen.withLock { $0.insert(label) }
    return NOOPMetricsHandler.instance
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    _ = seen.withLock { $0.insert(label) }
    return NOOPMetricsHandler.instance
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
