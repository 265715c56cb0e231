import PetEngine

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

  init(models: ServedModels, household: Household, metrics: MetricsRegistry, profile: Profile) {
    self.models = models
    self.household = household
    self.metrics = metrics
    self.profile = profile
  }

  func read() async -> Figures {
    let privacy = PrivacyStatus.read()
    let caches = await household.cacheStatistics
    let lookups = caches.reduce(0) { $0 + $1.hits + $1.misses }
    let hits = caches.reduce(0) { $0 + $1.hits }
    let speeds = metrics.recent("pet_decode_tokens_per_second", by: "model").flatMap(\.values)
    let prompts = metrics.total("pet_tokens_total", where: #"kind="prompt""#)
    let cached = metrics.total("pet_tokens_total", where: #"kind="cached""#)
    let uptime = (clock.now - start) / .seconds(1)
    var figures = Figures(
      uptime: uptime,
      model: .init(name: models.name, isLoaded: await models.language.isLoaded),
      device: .init(
        cpu: device.cpu.model, cores: device.cpu.allowed, memoryMB: Int(device.memory.total >> 20),
        instructionSets: instructionSets, profile: profile.rawValue),
      latency: latency, tokensPerSecond: speeds.suffix(60),
      memory: .init(
        resident: Double(ResidentMemory.read().current) / 1_048_576, budget: Double(models.runtime.budget) / 1_048_576),
      battery: .init(
        percent: PowerFacts.read().battery?.capacity, busy: metrics.seconds("pet_request_duration"), uptime: uptime),
      cache: .init(
        hitRate: lookups == 0 ? nil : Double(hits) / Double(lookups),
        prefixRate: prompts == 0 ? nil : Double(cached) / Double(prompts)),
      requests: metrics.total("pet_http_requests_total"), connections: Int(metrics.gauge("pet_http_connections") ?? 0),
      pets: await household.petCount,
      privacy: .init(state: privacy.state.rawValue, badge: privacy.badge, detail: privacy.detail))
    figures.alerts = figures.findings
    return figures
  }

  private var latency: [Figures.Latency] {
    metrics.latest("pet_time_to_first_token", by: "model").filter { !$0.sorted.isEmpty }.map { file, sorted in
      // The engine knows a model by its file, people by its name.
      let model = models.store.catalog.models.first { $0.file.name == file + ".gguf" }
      func at(_ part: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] * 1000 }
      return Figures.Latency(model: model?.name ?? file, p50: at(0.5), p95: at(0.95), target: model?.latency?.p95)
    }
  }
}
