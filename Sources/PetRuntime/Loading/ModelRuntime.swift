// SPDX-License-Identifier: Apache-2.0
/// All models of a program, of any kind, by name: shares one memory budget among them, and unloads them when memory is short or
/// the program goes to the background.
public actor ModelRuntime {
  /// What all loaded models together may take where nobody says otherwise: 500 MB.
  public static let standardBudget: UInt64 = 500_000_000
  /// Bytes that all loaded models together may take.
  public nonisolated let budget: UInt64
  /// Latency, memory and alerts of the models.
  public nonisolated let performance: PerformanceMonitor
  /// Whether any input of the models leaves the machine.
  public nonisolated let privacy: PrivacyMonitor
  /// Bytes that can still be had from the machine and the control group; nil: not known.
  private let room: @Sendable () -> UInt64?
  private let ledger = MemoryLedger()
  private var models: [String: any ManagedModel] = [:]
  private var caches: [String: @Sendable () async -> Void] = [:]
  private var loadedBeforeBackground: [String] = []

  /// - Parameter room: asked before every load.
  public init(
    budget: UInt64 = standardBudget, performance: PerformanceMonitor = PerformanceMonitor(),
    privacy: PrivacyMonitor = PrivacyMonitor(),
    room: @escaping @Sendable () -> UInt64? = { MemoryRoom.read()?.available }
  ) {
    self.budget = budget
    self.performance = performance
    self.privacy = privacy
    self.room = room
  }

  /// Registers a model; loads nothing.
  /// - Parameters: as of ``LazyModel/init(name:loader:smaller:idleTime:clock:)``.
  /// - Throws: `ModelError.modelNotAvailable` where the name is taken.
  public func add<Model>(
    _ name: String, loader: ModelLoader<Model>, smaller: [ModelLoader<Model>] = [], idleTime: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) throws(ModelError) -> LazyModel<Model> {
    guard models[name] == nil else {
      throw .modelNotAvailable(model: name, reason: "another model has this name; choose one of its own")
    }
    let gate = MemoryGate(
      reserve: { [weak self] in try await self?.reserve($0, for: name) },
      plan: { [weak self] in await self?.plan(old: $0, new: $1, of: name) ?? .beside },
      memory: { [weak self] in await self?.memory(for: name) },
      budget: budget)
    let model = LazyModel(name: name, loaders: [loader] + smaller, idleTime: idleTime, clock: clock, gate: gate)
    models[name] = model
    return model
  }

  /// The model of this name.
  /// - Throws: `ModelError.modelNotFound`; `.modelNotAvailable` where it is of another kind.
  public func model<Model>(_ name: String, as type: Model.Type) throws(ModelError) -> LazyModel<Model> {
    guard let found = models[name] else { throw .modelNotFound(model: name, known: Array(models.keys)) }
    guard let model = found as? LazyModel<Model> else {
      throw .modelNotAvailable(model: name, reason: "it is not a \(type); ask for the kind it was added as")
    }
    return model
  }

  /// All models, by name.
  public func facts() async -> [ModelFacts] {
    var all: [ModelFacts] = []
    for model in models.values { all.append(await model.facts) }
    return all.sorted { $0.name < $1.name }
  }

  /// The model of this name; nil: there is none.
  func facts(of name: String) async -> ModelFacts? { await models[name]?.facts }

  /// Those in memory, by name.
  public func loadedModels() async -> [ModelFacts] { await facts().filter { $0.bytes > 0 } }

  /// Bytes of the budget that loaded and loading models have.
  public nonisolated var reservedBytes: UInt64 { ledger.totals.reserved }

  /// Whether the model of this name can be used. Loads nothing.
  public func availability(_ name: String) async -> ModelAvailability {
    guard let model = models[name] else {
      return .unavailable(.notFound(ModelError.modelNotFound(model: name, known: Array(models.keys)).description))
    }
    return await model.availability
  }

  /// Begins to load these in the background; ignores unknown names.
  public func preload(_ names: [String]) async {
    for name in names { await models[name]?.preload() }
  }

  /// Unloads a model after its running uses; returns when its memory is free.
  /// - Throws: `ModelError.modelNotFound`.
  public func unload(_ name: String) async throws(ModelError) {
    guard let model = models[name] else { throw .modelNotFound(model: name, known: Array(models.keys)) }
    await model.unload()
  }

  /// Unloads all models after their running uses; returns when their memory is free.
  public func unloadAll() async {
    await withDiscardingTaskGroup { group in
      for model in models.values { group.addTask { await model.unload() } }
    }
  }

  /// Steps the model down to its next smaller variant; false where there is none.
  /// - Parameter reason: for people; ``ModelFacts/reason`` from then on.
  @discardableResult
  public func degrade(_ name: String, because reason: String = "it was asked for") async -> Bool {
    await models[name]?.degrade(because: reason) ?? false
  }

  /// Steps the model up to its next better variant; false where there is none.
  @discardableResult
  public func restore(_ name: String) async -> Bool { await models[name]?.restore() ?? false }

  // MARK: Lifecycle

  /// Unloads everything after the running uses, and remembers what was loaded.
  public func enterBackground() async {
    let loaded = await facts().filter { $0.state == .loaded || $0.state.name == "loading" }.map(\.name)
    // A second call finds nothing loaded, and must not forget what the first one found.
    loadedBeforeBackground = Array(Set(loadedBeforeBackground + loaded))
    await unloadAll()
  }

  /// Begins to load what was loaded before ``enterBackground()``.
  public func becomeActive() async {
    let names = loadedBeforeBackground
    loadedBeforeBackground = []
    await preload(names.sorted())
  }

  /// Same as ``respond(to:)`` with `.critical`: for the memory warning of an operating system.
  public func memoryWarning() async { await respond(to: .critical) }

  /// Does what ``PressurePolicy`` decides.
  /// - Returns: the actions taken.
  @discardableResult
  public func respond(to level: MemoryPressureLevel) async -> [PressurePolicy.Action] {
    let actions = PressurePolicy.decide(level, models: await facts())
    for action in actions {
      switch action {
      case .clearCaches: for clear in caches.values { await clear() }
      case .unload(let name): _ = await models[name]?.unloadIfIdle()
      case .degrade(let name): _ = await models[name]?.degrade(because: "memory is short")
      }
    }
    if !actions.isEmpty { HeapMemory.giveBack() }
    return actions
  }

  /// Responds to every level until the sequence ends.
  /// - Parameter onActions: called with each level that led to actions, and these actions.
  public func follow(
    _ levels: some AsyncSequence<MemoryPressureLevel, Never> & Sendable,
    onActions: @Sendable (MemoryPressureLevel, [PressurePolicy.Action]) async -> Void = { _, _ in }
  ) async {
    for await level in levels {
      let actions = await respond(to: level)
      if !actions.isEmpty { await onActions(level, actions) }
    }
  }

  /// Adds a cache that is cleared first when memory is short. Replaces one of the same name.
  public func addCache(_ name: String, clear: @escaping @Sendable () async -> Void) { caches[name] = clear }

  public func removeCache(_ name: String) { caches[name] = nil }

  // MARK: Memory

  private func reserve(_ bytes: UInt64, for name: String) async throws(ModelError) -> MemoryReservation {
    var attempts = 0
    while true {
      let idle = await idleModels(besides: name)
      let room = room()
      var decision = MemoryBudget.Decision.load
      let reservation = ledger.reserve(bytes) { totals in
        decision = memory(totals, room, idle).decide(needed: bytes)
        return decision == .load
      }
      if let reservation { return reservation }
      switch decision {
      case .evict(let names) where attempts < 16:
        for name in names { _ = await models[name]?.unloadIfIdle() }
      case .evict, .load:
        // Each came into use again before it could be evicted.
        throw .insufficientMemory(
          model: name, needed: bytes, available: memory(ledger.totals, room, []).available(freeing: 0), budget: budget)
      case .refuse(let available):
        throw .insufficientMemory(model: name, needed: bytes, available: available, budget: budget)
      }
      attempts += 1
    }
  }

  private func plan(old: UInt64, new: UInt64, of name: String) async -> SwapPlan {
    .decide(old: old, new: new, memory: await memory(for: name))
  }

  private func memory(for name: String) async -> MemoryBudget {
    memory(ledger.totals, room(), await idleModels(besides: name))
  }

  private func memory(
    _ totals: MemoryLedger.Totals, _ room: UInt64?, _ idle: [MemoryBudget.IdleModel]
  ) -> MemoryBudget {
    MemoryBudget(
      budget: budget, reserved: totals.reserved, room: room.map { $0.saturatingSubtract(totals.promised) }, idle: idle)
  }

  private func idleModels(besides name: String) async -> [MemoryBudget.IdleModel] {
    await facts().filter { $0.isIdle && $0.name != name }
      .map { MemoryBudget.IdleModel(name: $0.name, bytes: $0.bytes, lastUse: $0.lastUse) }
  }
}
