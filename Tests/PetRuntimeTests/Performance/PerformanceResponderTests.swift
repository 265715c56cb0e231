// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Synchronization
import Testing

import PetRuntime

@Suite("Performance responder")
struct PerformanceResponderTests {
  private let time = StandingTime()
  private let runtime: ModelRuntime

  init() {
    runtime = ModelRuntime(
      budget: 1000, performance: PerformanceMonitor(metrics: { NOOPMetricsHandler.instance }, now: time.closure)
    ) { nil }
  }

  private func model(_ tiers: [String]) async throws -> LazyModel<CountedModel> {
    let counter = CountedModel.Counter()
    return try await runtime.add(
      "pose", loader: .counted(counter, tiers[0]), smaller: tiers.dropFirst().map { .counted(counter, $0) })
  }

  @Test(
    "steps a model down for a critical alert, and up again when it was well; a restore that did not last waits longer")
  func tiers() async throws {
    let model = try await model(["high", "medium", "low"])
    let told = Recorder<PerformanceResponder.Record>()
    let responder = PerformanceResponder(runtime, device: { .init() }, now: time.closure, onDecision: told.add)
    runtime.performance.setTargets(PerformanceTargets(latency: .milliseconds(50)), for: "pose")
    func run(_ milliseconds: Int, seconds: Int) async {
      for _ in 0..<(seconds * 10) {
        runtime.performance.record(
          InferenceSample(latency: .milliseconds(milliseconds), unit: .accelerator), of: "pose")
        time.advance(by: .milliseconds(100))
      }
      await responder.respond(to: "pose")
    }
    try await model.load()
    #expect(await model.loadedVersion == "high")
    await run(120, seconds: 10)
    try await model.load()
    #expect(await model.loadedVersion == "medium")
    // The last response has yet to show.
    await run(120, seconds: 2)
    #expect(await model.version == "medium")
    await run(20, seconds: 30)
    #expect(await model.version == "medium")
    await run(20, seconds: 61)
    #expect(await model.version == "high")
    await run(120, seconds: 10)
    #expect(await model.version == "medium")
    await run(20, seconds: 30)
    await run(20, seconds: 70)
    #expect(await model.version == "medium")
    await run(20, seconds: 60)
    #expect(await model.version == "high")
    let responses = await responder.records.map(\.decision.response)
    #expect(responses == [.degrade, .restore, .degrade, .restore])
    #expect(await responder.records.allSatisfy { !$0.decision.reason.isEmpty && $0.model == "pose" })
    #expect(
      told.all.count > responses.count && told.all.filter { $0.decision.response != .keep }.count == responses.count)
  }

  @Test("an optional model goes when the battery is low, is not called for while it is, and comes back")
  func optional() async throws {
    let state = Mutex(PerformanceResponder.DeviceState())
    let model = try await model(["only"])
    let responder = PerformanceResponder(runtime, device: { state.withLock { $0 } }, now: time.closure)
    await responder.setRole(.init(isOptional: true, isPeriodic: true), of: "pose")
    try await model.load()
    #expect(await responder.pace(of: "pose") == .run(rate: 1))
    state.withLock { $0.power = PowerFacts(battery: .init(capacity: 12, status: .discharging), isOnMains: false) }
    time.advance(by: .seconds(6))
    #expect(await responder.respond(to: "pose").response == .unload)
    #expect(await !model.isLoaded)
    #expect(await responder.pace(of: "pose") == .off)
    state.withLock { $0.power = PowerFacts(battery: .init(capacity: 12, status: .charging), isOnMains: true) }
    time.advance(by: .seconds(6))
    #expect(await responder.pace(of: "pose") == .off)
    time.advance(by: .seconds(61))
    #expect(await responder.pace(of: "pose") == .run(rate: 1))
    state.withLock { $0.thermal = .serious }
    time.advance(by: .seconds(6))
    await responder.respond(to: "pose")
    #expect(await responder.pace(of: "pose") == .run(rate: 0.75))
  }

  @Test("what was lowered comes back though nothing is computed meanwhile", .timeLimit(.minutes(1)))
  func idle() async throws {
    let model = try await model(["high", "low"])
    let clock = ManualClock()
    let state = Mutex(PerformanceResponder.DeviceState(thermal: .serious))
    let responder = PerformanceResponder(
      runtime, device: { state.withLock { $0 } }, now: time.closure, clock: clock)
    let running = Task { await responder.run() }
    defer { running.cancel() }
    try await model.load()
    await responder.respond(to: "pose")
    let lowered = await model.facts
    #expect(lowered.next == "low" && lowered.best == "high" && lowered.reason == "it is hot")
    state.withLock { $0.thermal = .nominal }
    var looks = 0
    while await model.version == "low" {
      while clock.sleeping == 0, await model.version == "low" { await Task.yield() }
      time.advance(by: .seconds(10))
      clock.advance(by: .seconds(10))
      looks += 1
    }
    #expect((6...9).contains(looks), "\(looks)")
    #expect(await model.facts.reason == nil)
  }

  @Test("follows what the monitor sees by itself, and of many responses only the last are kept")
  func follows() async throws {
    _ = try await model(["high", "low"])
    let (stream, told) = AsyncStream<PerformanceResponder.Record>.makeStream()
    let responder = PerformanceResponder(runtime, device: { .init(thermal: .serious) }, now: time.closure) {
      told.yield($0)
    }
    let running = Task { await responder.run() }
    defer { running.cancel() }
    var records = stream.makeAsyncIterator()
    // Until it listens.
    let feeding = Task {
      while !Task.isCancelled {
        runtime.performance.record(InferenceSample(latency: .milliseconds(1)), of: "pose")
        time.advance(by: .seconds(2))
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
    defer { feeding.cancel() }
    let first = await records.next()
    #expect(first?.decision == .init(response: .degrade, reason: "it is hot"))
    #expect(await responder.records.count <= 32)
  }
}
