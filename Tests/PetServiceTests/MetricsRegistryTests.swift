// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import PetService
import Testing

@Suite("Figures in the form of Prometheus")
struct MetricsRegistryTests {
  @Test("counters, last values and times, each once, whatever is in a label")
  func text() {
    let registry = MetricsRegistry()
    for _ in 0..<2 {
      Counter(label: "a.b", dimensions: [("z", "1"), ("k", "x\"\\\ny")], factory: registry).increment(by: 2)
    }
    Counter(label: "a.b", factory: registry).increment(by: Int64.max)
    Counter(label: "a.b", factory: registry).increment(by: 5)
    Gauge(label: "g", factory: registry).record(2)
    Gauge(label: "g", factory: registry).record(0.5)
    let timer = Timer(label: "t", dimensions: [("m", "n")], factory: registry)
    for time in [100_000, 2_000_000, 2_000_000, 90_000_000_000, -7] as [Int64] { timer.recordNanoseconds(time) }
    let text = registry.text
    for line in [
      "# TYPE a_b counter", #"a_b{k="x\"\\\ny",z="1"} 4"#, "a_b \(Int64.max)", "# TYPE g gauge", "g 0.5",
      "# TYPE t_seconds histogram", #"t_seconds_bucket{m="n",le="0.0005"} 2"#,
      #"t_seconds_bucket{m="n",le="0.0025"} 4"#,
      #"t_seconds_bucket{m="n",le="60.0"} 4"#, #"t_seconds_bucket{m="n",le="+Inf"} 5"#, #"t_seconds_count{m="n"} 5"#,
      #"t_seconds_sum{m="n"} 90.0041"#,
    ] {
      #expect(text.contains(line + "\n"), "\(line) in\n\(text)")
    }
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }.count == 3)
    #expect(MetricsRegistry().text.isEmpty)
  }
}
