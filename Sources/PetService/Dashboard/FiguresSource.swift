// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine
import Synchronization

/// Reads the figures of a daemon when somebody looks; nothing is read while nobody does.
struct FiguresSource: Sendable {
  let models: ServedModels
  let household: Household
  let metrics: MetricsRegistry
  let profile: Profile
  private let device = DeviceFacts.read()
  private let instructionSets = InstructionSets.current().usable
  private let clock = ContinuousClock()
  private let start = ContinuousClock.now

  private let responder: PerformanceResponder?
  private let notices: ServiceNotices
  private let deviceRoot: String
  private let energy: EnergyWatch

  init(
    models: ServedModels, household: Household, metrics: MetricsRegistry, profile: Profile,
    responder: PerformanceResponder?, notices: ServiceNotices, deviceRoot: String
  ) {
    self.notices = notices
    self.deviceRoot = deviceRoot
    energy = EnergyWatch(EnergyMeter(root: deviceRoot))
    self.models = models
    self.household = household
    self.metrics = metrics
    self.profile = profile
    self.responder = responder
  }

  func read() async -> Figures {
    let privacy = models.runtime.privacy.getPrivacyStatus()
    let statistics = models.runtime.performance.statistics
    let caches = await household.cacheStatistics
    let lookups = caches.reduce(0) { $0 + $1.hits + $1.misses }
    let hits = caches.reduce(0) { $0 + $1.hits }
    let speeds = metrics.recent("pet_decode_tokens_per_second", by: "model").flatMap(\.values)
    let prompts = metrics.total("pet_tokens_total", where: #"kind="prompt""#)
    let cached = metrics.total("pet_tokens_total", where: #"kind="cached""#)
    let uptime = (clock.now - start) / .seconds(1)
    let serving = await models.serving
    // The engine knows a model by what it was asked for as, people by its name.
    @Sendable func known(_ model: String) -> String { model == models.language.name ? serving.identity.name : model }
    var figures = Figures(
      uptime: uptime,
      model: .init(
        name: serving.identity.name, isLoaded: await models.language.isLoaded, tier: serving.identity.tier,
        degraded: serving.degraded),
      device: .init(
        cpu: device.cpu.model, cores: device.cpu.allowed, memoryMB: Int(device.memory.total >> 20),
        instructionSets: instructionSets, profile: profile.rawValue),
      latency: statistics.map { Figures.Latency($0, named: known($0.model)) }, tokensPerSecond: speeds.suffix(60),
      memory: .init(
        resident: Double(ResidentMemory.read().current) / 1_048_576, budget: Double(models.runtime.budget) / 1_048_576),
      battery: battery(statistics),
      cache: .init(
        hitRate: lookups == 0 ? nil : Double(hits) / Double(lookups),
        prefixRate: prompts == 0 ? nil : Double(cached) / Double(prompts)),
      requests: metrics.total("pet_http_requests_total"), connections: Int(metrics.gauge("pet_http_connections") ?? 0),
      pets: await household.petCount,
      privacy: .init(state: privacy.state.rawValue, badge: privacy.badge, detail: privacy.detail))
    figures.alerts =
      models.runtime.performance.activeAlerts.map {
        Figures.Alert(kind: "\($0.severity.map { "\($0)" } ?? "") \($0.kind.rawValue)", text: $0.message)
      } + figures.findings + notices.all.map { Figures.Alert(kind: "settings", text: $0) }
    figures.responses = await responses(known)
    return figures
  }

  private func battery(_ statistics: [PerformanceStatistics]) -> Figures.Battery {
    let reading = energy.read()
    return Figures.Battery(
      percent: PowerFacts.read(root: deviceRoot).battery?.capacity,
      percentPerHalfHour: (statistics.reduce(0) { $0 + $1.batteryPerHalfHour } * 100).rounded() / 100,
      source: reading.source.rawValue, watts: reading.watts.map { ($0 * 10).rounded() / 10 })
  }

  private func responses(_ known: @Sendable (String) -> String) async -> [Figures.Response] {
    guard let responder else { return [] }
    let now = responder.time
    return await responder.records.suffix(8).reversed().map {
      Figures.Response(
        model: known($0.model), response: $0.decision.response.description, reason: $0.decision.reason,
        age: ((now - $0.time) / .seconds(1)).rounded())
    }
  }
}

/// What the machine takes between two looks.
private final class EnergyWatch: Sendable {
  private let meter: EnergyMeter
  private let last = Mutex<EnergyMeter.Reading?>(nil)
  private let start = ContinuousClock.now

  init(_ meter: EnergyMeter) { self.meter = meter }

  func read() -> (source: EnergyMeter.Source, watts: Double?) {
    let reading = meter.read(at: start.duration(to: .now))
    return last.withLock { last in
      defer { last = reading }
      return (reading.source, last.flatMap { EnergyMeter.watts($0, reading) } ?? reading.watts)
    }
  }
}
