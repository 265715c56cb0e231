// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Synchronization

/// What the engine counts and times, in the text form of Prometheus:
/// https://prometheus.io/docs/instrumenting/exposition_formats/
///
/// Times are seconds, in histograms; what is neither counted nor timed is the last value.
package final class MetricsRegistry: MetricsFactory {
  /// A name with its labels.
  struct Series: Hashable, Sendable {
    let name: String
    /// As they are written, in the order of their names.
    let labels: String

    init(_ name: String, _ dimensions: [(String, String)]) {
      self.name = Self.plain(name)
      labels = dimensions.sorted { $0.0 < $1.0 }.map { "\(Self.plain($0.0))=\"\(Self.escaped($0.1))\"" }
        .joined(separator: ",")
    }

    private static func plain(_ name: String) -> String {
      String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
    }

    private static func escaped(_ value: String) -> String {
      value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
  }

  private let counters = Mutex<[Series: CounterSeries]>([:])
  private let gauges = Mutex<[Series: GaugeSeries]>([:])
  private let timers = Mutex<[Series: TimerSeries]>([:])

  package init() {}

  /// All of it, in an order that stays.
  package var text: String {
    var text = ""
    func family(_ name: String, _ kind: String, _ lines: [String]) {
      text += "# TYPE \(name) \(kind)\n" + lines.map { $0 + "\n" }.joined()
    }
    func grouped<Value>(_ series: [Series: Value]) -> [(name: String, values: [(labels: String, value: Value)])] {
      Dictionary(grouping: series, by: \.key.name)
        .map { ($0.key, $0.value.map { ($0.key.labels, $0.value) }.sorted { $0.0 < $1.0 }) }
        .sorted { $0.0 < $1.0 }
    }
    for (name, values) in grouped(counters.withLock { $0 }) {
      family(name, "counter", values.map { Self.line(name, $0.labels, "\($0.value.value)") })
    }
    for (name, values) in grouped(gauges.withLock { $0 }) {
      family(name, "gauge", values.map { Self.line(name, $0.labels, Self.number($0.value.value)) })
    }
    for (name, values) in grouped(timers.withLock { $0 }) {
      family(name + "_seconds", "histogram", values.flatMap { $0.value.lines(name + "_seconds", $0.labels) })
    }
    return text
  }

  static func line(_ name: String, _ labels: String, _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)"
  }

  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return "\(value)"
  }

  /// Of the latest values of each series of this name, in the order in which they came, under the value that one label has.
  func recent(_ name: String, by label: String) -> [(value: String, values: [Double])] {
    func value(_ series: Series) -> String? {
      let parts = series.labels.split(separator: "\"", omittingEmptySubsequences: false)
      return parts.firstIndex { $0 == "\(label)=" || $0.hasSuffix(",\(label)=") }.map { String(parts[$0 + 1]) }
    }
    let timed = timers.withLock { $0.filter { $0.key.name == name } }.map { ($0.key, $0.value.latest) }
    let gauged = gauges.withLock { $0.filter { $0.key.name == name } }.map { ($0.key, $0.value.latest) }
    return (timed + gauged).compactMap { series, values in value(series).map { ($0, values) } }
      .sorted { $0.0 < $1.0 }
  }

  /// The counters of this name together.
  /// - Parameter label: of those only that have it, as in `kind="prompt"`.
  func total(_ name: String, where label: String = "") -> Int64 {
    counters.withLock { $0.filter { $0.key.name == name && (label.isEmpty || $0.key.labels.contains(label)) } }.values
      .reduce(0) { $0.addingClamped($1.value) }
  }

  /// The last value of the gauge of this name, which has no labels; nil: it has none.
  func gauge(_ name: String) -> Double? { gauges.withLock { $0[Series(name, [])] }?.value }

  // MARK: MetricsFactory

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    counters.withLock { known in
      let series = Series(label, dimensions)
      let handler = known[series] ?? CounterSeries()
      known[series] = handler
      return handler
    }
  }

  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    gauges.withLock { known in
      let series = Series(label, dimensions)
      let handler = known[series] ?? GaugeSeries()
      known[series] = handler
      return handler
    }
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    timers.withLock { known in
      let series = Series(label, dimensions)
      let handler = known[series] ?? TimerSeries()
      known[series] = handler
      return handler
    }
  }

  // A series stays for as long as the program runs: what was counted was counted.
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}
}

final class CounterSeries: CounterHandler {
  private let count = Mutex<Int64>(0)

  var value: Int64 { count.withLock { $0 } }

  func increment(by amount: Int64) {
    count.withLock { count in
      let (sum, overflow) = count.addingReportingOverflow(max(0, amount))
      count = overflow ? .max : sum
    }
  }

  func reset() { count.withLock { $0 = 0 } }
}

final class GaugeSeries: RecorderHandler {
  private let values = Mutex(LatestValues())

  var value: Double { values.withLock { $0.last } }
  var latest: [Double] { values.withLock { $0.all } }

  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) { values.withLock { $0.append(value) } }
}

/// Of times from half a millisecond to a minute, each step twice and a half the one before or less.
final class TimerSeries: TimerHandler {
  /// In seconds.
  private static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  private struct State {
    var counts = [Int64](repeating: 0, count: bounds.count + 1)
    var sum = 0.0
    /// In seconds.
    var latest = LatestValues()
  }

  private let state = Mutex(State())

  var latest: [Double] { state.withLock { $0.latest.all } }

  func recordNanoseconds(_ duration: Int64) {
    let seconds = Double(max(0, duration)) / 1e9
    state.withLock { state in
      state.counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
      state.sum += seconds
      state.latest.append(seconds)
    }
  }

  func lines(_ name: String, _ labels: String) -> [String] {
    let state = state.withLock { $0 }
    var total: Int64 = 0
    var lines: [String] = []
    for (bound, count) in zip(Self.bounds + [.infinity], state.counts) {
      total += count
      let own = "le=\"\(MetricsRegistry.number(bound))\""
      lines.append(MetricsRegistry.line(name + "_bucket", labels.isEmpty ? own : "\(labels),\(own)", "\(total)"))
    }
    return lines + [
      MetricsRegistry.line(name + "_sum", labels, MetricsRegistry.number(state.sum)),
      MetricsRegistry.line(name + "_count", labels, "\(total)"),
    ]
  }
}

/// The last values of a series, in a memory that does not grow.
struct LatestValues: Sendable {
  private static let most = 128

  private var values: [Double] = []
  private var next = 0

  var last: Double { values.isEmpty ? 0 : values[(next + values.count - 1) % values.count] }
  /// The oldest first.
  var all: [Double] { Array(values[next...] + values[..<next]) }

  mutating func append(_ value: Double) {
    if values.count < Self.most {
      values.append(value)
    } else {
      values[next] = value
      next = (next + 1) % Self.most
    }
  }
}

extension Int64 {
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
