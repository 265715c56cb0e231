// SPDX-License-Identifier: Apache-2.0
import Benchmark
import Glibc

/// What one call of a body does, and what bounds it.
struct Work {
  /// Bytes that must be read, whatever the arithmetic.
  var bytes: Double
  /// Multiplications and additions.
  var operations: Double = 0
  var roof: Roof

  enum Roof {
    /// Memory of that many bytes that is read in turn.
    case reading(bytes: Int)
    case int8
    case float
  }
}

extension BenchmarkMetric {
  static let read = BenchmarkMetric.custom("read, MB/s", polarity: .prefersLarger, useScalingFactor: false)
  static let computed = BenchmarkMetric.custom("computed, Mop/s", polarity: .prefersLarger, useScalingFactor: false)
  static let share = BenchmarkMetric.custom(
    "of the machine's peak, %", polarity: .prefersLarger, useScalingFactor: false)
}

/// Registers a benchmark that reports achieved MB/s, Mop/s and their share of what the machine can do.
/// - Parameter prepare: makes the body; called once, where the benchmark runs.
func measure(_ name: String, threads: Int = 1, _ work: Work, prepare: @escaping () -> () -> Void) {
  var metrics: [BenchmarkMetric] = [.read]
  if work.operations > 0 { metrics.append(.computed) }
  metrics.append(.share)
  var body: (() -> Void)?
  var batch = 1
  Benchmark(
    "\(name), \(threads) thread\(threads > 1 ? "s" : "")",
    configuration: .init(
      metrics: metrics, units: Dictionary(uniqueKeysWithValues: metrics.map { ($0, .count) }), warmupIterations: 1,
      maxDuration: .milliseconds(300), maxIterations: 2000)
  ) { benchmark in
    let run = body ?? prepare()
    if body == nil {
      body = run
      batch = calls(run)
    }
    let start = now(threads: threads)
    for _ in 0..<batch { run() }
    let seconds = (now(threads: threads) - start) / Double(batch)
    let (bytes, operations) = (work.bytes / seconds / 1e9, work.operations / seconds / 1e9)
    benchmark.measurement(.read, Int(bytes * 1000))
    if work.operations > 0 { benchmark.measurement(.computed, Int(operations * 1000)) }
    let share =
      switch work.roof {
      case .reading(let size): bytes / Roof.read(bytes: size, threads: threads)
      case .int8: operations / Roof.int8(threads: threads)
      case .float: operations / Roof.float(threads: threads)
      }
    if share.isFinite { benchmark.measurement(.share, Int((100 * share).rounded())) }
  }
}

/// Seconds. On one thread those that it computed, which neighbours on a busy machine disturb less.
private func now(threads: Int) -> Double {
  var time = timespec()
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// How many calls take at least a fifth of a millisecond, so that the clock does not count.
private func calls(_ body: () -> Void) -> Int {
  body()
  let once = ContinuousClock().measure(body)
  return max(1, min(100_000, Int(.microseconds(200) / max(once, .nanoseconds(1)))))
}
