// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetAPI
import Testing
import pet

@Suite("Figures of a petd, as text")
struct FiguresTextTests {
  /// - Parameter times: of a model; else as the other numbers.
  private func figures(_ times: String, rest: String? = nil) throws -> Figures {
    let number = rest ?? times
    let text = """
      {"uptime_s": \(number), "model": {"name": "m", "loaded": true}, "requests": 1, "connections": 1, "pets": 1,
      "device": {"cpu": "c", "cores": 1, "memory_mb": 2048, "instruction_sets": [], "profile": "watch"},
      "latency": [{"model": "m", "count": 1, "mean_ms": \(times), "p50_ms": \(times), "p95_ms": \(times),
        "p99_ms": \(times), "target_ms": \(number), "compliance": \(number), "memory_mb": \(number),
        "percent_per_half_hour": \(number)}],
      "tokens_per_second": [1, \(number)], "memory": {"resident_mb": \(number), "budget_mb": \(number)},
      "battery": {"percent_per_half_hour": \(number), "source": "unavailable"}, "cache": {"hit_rate": \(number)},
      "alerts": [], "responses": [{"model": "m", "response": "r", "reason": "w", "age_s": \(number)}],
      "privacy": {"state": "observed", "badge": "b", "detail": "d"}}
      """
    return try JSONDecoder().decode(Figures.self, from: Data(text.utf8))
  }

  @Test("whole numbers are shown, and in the place of one that no Int holds the nearest")
  func top() throws {
    let usual = TopView.text(try figures("0.75"))
    for part in ["0 MiB of 0\n", "75 % hits", "75 % within it"] { #expect(usual.contains(part), "\(part): \(usual)") }
    for (number, shown) in [("1e300", Int.max), ("-1e300", Int.min)] {
      let text = TopView.text(try figures(number))
      for part in [
        "\(shown) MiB of \(shown)", "\(shown) tokens/s", "\(shown) % hits", "aim \(shown)", "\(shown) % within it",
        "P50 \(shown) ms, P95 \(shown), P99 \(shown)",
      ] {
        #expect(text.contains(part), "\(part): \(text)")
      }
    }
  }

  @Test("a model that nobody asked lately has no times, rather than none")
  func idle() throws {
    let text = TopView.text(try figures("null", rest: "1"))
    #expect(text.contains("not measured in the last 30 min; 1 inferences") && !text.contains("P50"), "\(text)")
  }

  @Test("shares of counts that no Int can hold together")
  func statistics() throws {
    func text(_ count: Int, _ other: Int) throws -> String {
      let text = """
        {"answers": {"rule": \(count), "model": \(other)}, "rungs": {"care": 1, "sum": 2}, "dangers": 0,
        "danger_kinds": {}, "danger_stages": {}, "replaced": 0, "cache": {"entries": 1, "hits": \(count), "misses": \(other)}}
        """
      return StatisticsText.text(of: try JSONDecoder().decode(PetStatistics.self, from: Data(text.utf8)))
    }
    let usual = try text(2, 1)
    #expect(usual.contains("1 model (33 %), 2 rule (66 %)") && usual.contains("1, 2 of 3 found, 66 % hits"), "\(usual)")
    #expect(usual.contains("1 care, 2 sum"), "\(usual)")
    let most = try text(.max, .max)
    #expect(most.contains("(50 %)") && most.contains("of \(Int.max) found, 50 % hits"), "\(most)")
    #expect(try text(.max, .min).contains("of 0 found\n"))
  }
}
