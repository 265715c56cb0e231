// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

import PetRuntime

@Suite("A simulated day")
struct SimulatedDayTests {
  private static let plot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Benchmarks/results/simulated-day.svg")

  @Test(
    "draining battery, heat and a busy neighbour: rate, quality and the optional model follow, without flapping, and recover"
  )
  func day() async throws {
    let day = SimulatedDay()
    try await day.run()
    func minutes(_ hours: ClosedRange<Double>) -> [SimulatedDay.Minute] {
      day.minutes.filter { hours.contains($0.hour) }
    }
    // Well in the morning: all there is, at the full rate.
    #expect(minutes(8.2...8.9).allSatisfy { $0.rate == 1 && $0.steps == 0 && $0.runsOptional && $0.p95 < 50 })
    // Beside the neighbour it would take 100 ms: it steps down until it keeps to the target, and tries now and then whether more is possible.
    let beside = minutes(9.05...9.65)
    let kept = beside.count { $0.steps == 2 && $0.p95 < 50 }
    #expect(kept * 10 >= beside.count * 8, "\(kept) of \(beside.count)")
    // An hour after it has gone all is as before.
    #expect(minutes(10.6...12.9).allSatisfy { $0.steps == 0 && $0.rate == 1 && $0.p95 < 50 })
    // A hot afternoon: a lower rate, never more than the device bears.
    let hot = minutes(13.5...14.9)
    #expect(hot.allSatisfy { $0.rate <= 0.75 && $0.heat < 55 })
    #expect(minutes(15.8...15.9).allSatisfy { $0.rate == 1 })
    // Below a fifth of the battery what nobody waits for is off, and the rest is smaller; on the charger it comes back.
    let low = day.minutes.filter { $0.hour > 8.1 && $0.hour < 21.9 && $0.battery < 19.5 }
    #expect(low.count > 30 && low.allSatisfy { !$0.runsOptional && $0.steps >= 1 })
    #expect(minutes(22.3...22.4).allSatisfy { $0.runsOptional })
    // What is decided is decided seldom, and never without a reason.
    #expect((8...50).contains(day.records.count), "\(day.records.count)")
    #expect(day.records.allSatisfy { !$0.decision.reason.isEmpty })
    let kinds = Set(day.records.map { $0.decision.response.description })
    #expect(
      kinds.isSuperset(of: ["smaller variant", "better variant", "unload", "lower rate to 75 %", "raise rate to 100 %"]
      ), "\(kinds)")

    let svg = SimulatedDayPlot.svg(day)
    if ProcessInfo.processInfo.environment["PET_WRITE_PLOTS"] != nil {
      try svg.write(to: Self.plot, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: Self.plot, encoding: .utf8) == svg,
      "draw it again: PET_WRITE_PLOTS=1 swift test --filter SimulatedDay")
  }
}
