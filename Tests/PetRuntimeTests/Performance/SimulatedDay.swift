// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Synchronization

import PetRuntime

/// A day of a device on its battery, in a second: a camera model that runs ten times a second and one that nobody waits for, a hot afternoon,
/// a neighbour that takes half of the processor now and then. The monitor, the policy and the runtime are the real ones; time, the device and how
/// long an inference takes are made up.
final class SimulatedDay: Sendable {
  struct Minute: Sendable, Equatable {
    var hour = 0.0
    var battery = 0.0
    var isCharging = false
    /// Degrees Celsius.
    var heat = 0.0
    var isBusy = false
    /// Of the pose model, in milliseconds.
    var p95 = 0.0
    var rate = 0.0
    var steps = 0
    /// Whether the optional model runs.
    var runsOptional = false
    var hasAlert = false
  }

  private struct Device {
    var battery = 92.0
    var heat = 28.0
    var minute = 0
  }

  static let target = 50.0
  /// Seconds between two looks of this simulation, in which eight inferences stand for a hundred.
  private static let step = 10
  static let tiers = ["high", "medium", "low"]
  /// What an inference takes in each, in milliseconds, when nobody disturbs.
  private static let cost: [String: Double] = ["high": 38, "medium": 26, "low": 18]

  private let device = Mutex(Device())
  private let time = StandingTime()
  private let runtime: ModelRuntime
  private(set) nonisolated(unsafe) var minutes: [Minute] = []
  private(set) nonisolated(unsafe) var records: [PerformanceResponder.Record] = []
  private(set) nonisolated(unsafe) var alerts: [PerformanceAlert] = []

  init() {
    runtime = ModelRuntime(
      budget: 1000, performance: PerformanceMonitor(metrics: { NOOPMetricsHandler.instance }, now: time.closure)
    ) { nil }
  }

  /// On the charger at night.
  private static func isCharging(_ minute: Int) -> Bool { minute >= 22 * 60 || minute < 7 * 60 }
  private static func isBusy(_ minute: Int) -> Bool {
    (9 * 60..<9 * 60 + 40).contains(minute) || (16 * 60..<16 * 60 + 5).contains(minute)
  }
  /// In use from eight to half past ten.
  private static func isUsed(_ minute: Int) -> Bool { minute >= 8 * 60 && minute < 22 * 60 + 30 }
  private static func warmth(_ minute: Int) -> Double { (13 * 60..<15 * 60).contains(minute) ? 44 : 26 }

  private static func state(_ device: Device) -> PerformanceResponder.DeviceState {
    let isOnMains = isCharging(device.minute)
    let thermal: ThermalState =
      device.heat >= 48 ? .critical : device.heat >= 42 ? .serious : device.heat >= 36 ? .fair : .nominal
    return .init(
      power: PowerFacts(
        battery: .init(capacity: Int(device.battery), status: isOnMains ? .charging : .discharging),
        isOnMains: isOnMains),
      thermal: thermal)
  }

  func run() async throws {
    let counter = CountedModel.Counter()
    let pose = try await runtime.add(
      "pose", loader: .counted(counter, Self.tiers[0]), smaller: Self.tiers.dropFirst().map { .counted(counter, $0) })
    let mood = try await runtime.add("mood", loader: .counted(counter, "only"))
    let responder = PerformanceResponder(
      runtime, device: { [self] in device.withLock { Self.state($0) } }, now: time.closure,
      onDecision: { _ in })
    await responder.setRole(.init(isPeriodic: true), of: "pose")
    await responder.setRole(.init(isOptional: true, isPeriodic: true), of: "mood")
    runtime.performance.setTargets(PerformanceTargets(latency: .milliseconds(Self.target)), for: "pose")
    for minute in 0..<24 * 60 {
      device.withLock { $0.minute = minute }
      var rate = 0.0
      var runsOptional = false
      if Self.isUsed(minute) {
        for second in stride(from: 0, to: 60, by: Self.step) {
          let paces = (await responder.pace(of: "pose"), await responder.pace(of: "mood"))
          if case .run(let part) = paces.0 {
            rate = part
            let version = await pose.version
            for number in 0..<Int(8 * part) { record(version, minute, second, number) }
          }
          if case .run = paces.1 {
            runsOptional = true
            runtime.performance.record(InferenceSample(latency: .milliseconds(30), unit: .accelerator), of: "mood")
          }
          await responder.respond(to: "pose")
          await responder.respond(to: "mood")
          time.advance(by: .seconds(Self.step))
        }
      } else {
        time.advance(by: .seconds(60))
      }
      let rung = Self.tiers.firstIndex(of: await pose.version) ?? 0
      live(minute, load: rate * (1 - 0.25 * Double(rung)) + (runsOptional ? 0.2 : 0))
      note(minute, rate: rate, steps: rung, runsOptional: runsOptional)
      records += await responder.records.filter { record in !records.contains(record) }
    }
    _ = mood
  }

  private func record(_ version: String, _ minute: Int, _ second: Int, _ number: Int) {
    let spread = 1 + 0.1 * Double((second * 7 + number * 3) % 10) / 10
    // Hot processors are slow ones.
    let heat = device.withLock { $0.heat >= 42 ? 1.2 : 1 }
    let time = (Self.cost[version] ?? 0) * spread * (Self.isBusy(minute) ? 2.4 : 1) * heat
    runtime.performance.record(InferenceSample(latency: .milliseconds(time), unit: .accelerator), of: "pose")
  }

  private func live(_ minute: Int, load: Double) {
    device.withLock { device in
      let goal = Self.warmth(minute) + 8 * load
      device.heat += (goal - device.heat) * 0.08
      device.battery += Self.isCharging(minute) ? 0.25 : -(0.02 + 0.11 * load)
      device.battery = min(100, max(1, device.battery))
    }
  }

  private func note(_ minute: Int, rate: Double, steps: Int, runsOptional: Bool) {
    let device = device.withLock { $0 }
    let active = runtime.performance.activeAlerts.filter { $0.model == "pose" }
    minutes.append(
      Minute(
        hour: Double(minute) / 60, battery: device.battery, isCharging: Self.isCharging(minute), heat: device.heat,
        isBusy: Self.isBusy(minute),
        p95: rate > 0 ? (runtime.performance.statistics(for: "pose")?.p95 ?? .zero) / .milliseconds(1) : 0, rate: rate,
        steps: steps, runsOptional: runsOptional, hasAlert: !active.isEmpty))
  }
}
