// SPDX-License-Identifier: Apache-2.0
extension ModelRuntime {
  /// A runtime with the memory budget that a configuration allows.
  public init(_ configuration: Configuration) { self.init(budget: configuration.memoryBudget.value) }

  /// Adds the language model that a configuration means, with the lower tiers that are here as what it steps down to; nothing is
  /// loaded by that. It goes when it was idle for as long as the configuration says.
  /// - Parameter kernelVariant: the kernels to use; nil: the fastest that this CPU runs.
  /// - Returns: the model, and how it was chosen: see ``ModelStore/select(_:for:quality:canRun:)``.
  /// - Throws: `ModelStoreError`, `FileError`; `ModelError.modelNotAvailable` where one was added before.
  public func addLanguageModel(
    _ configuration: Configuration, in store: ModelStore, kernelVariant: KernelVariant? = nil
  ) throws -> (model: LazyModel<LanguageModel>, selection: ModelSelection) {
    let chosen = try languageModel(configuration, in: store, kernelVariant: kernelVariant)
    let (selection, loader) = (chosen.selection, chosen.loader)
    let model = try add(
      chosen.name, loader: loader, smaller: chosen.smaller, idleTime: configuration.idleTimeToLive.value)
    addCache(chosen.name) { await model.ifLoaded { await $0.clearCache() } }
    performance.setTargets(store.targets(of: selection.location, memory: loader.bytes), for: chosen.name)
    return (model, selection)
  }

  /// A language model as it would be loaded, and those that it steps down to.
  struct ChosenModel {
    let name: String
    let selection: ModelSelection
    let loader: ModelLoader<LanguageModel>
    let smaller: [ModelLoader<LanguageModel>]
  }

  /// - Parameter known: the name under which it was added before.
  /// - Throws: `ModelStoreError`, `FileError`.
  func languageModel(
    _ configuration: Configuration, in store: ModelStore, kernelVariant: KernelVariant?, as known: String? = nil
  ) throws -> ChosenModel {
    var selection = try store.select(configuration)
    let name = known ?? configuration.model.value ?? "\(selection.location)"
    var options = LanguageModel.LoadOptions(configuration, kernelVariant: kernelVariant)
    options.observer = requestObserver(for: name)
    func make(_ location: ModelLocation) throws -> ModelLoader<LanguageModel> {
      options.identity = store.identity(of: location)
      return try .language(location, options)
    }
    var loader = try make(selection.location)
    // The catalog's word holds for usual settings; now it is known what these take.
    while loader.bytes > budget,
      let next = selection.steppingDown(
        from: "\(selection.location)", because: .budget(needed: loader.bytes, budget: budget))
    {
      selection = next
      loader = try make(selection.location)
    }
    return ChosenModel(
      name: name, selection: selection, loader: loader, smaller: try selection.smaller.map(make))
  }

  /// What records the requests to a language model under `name`: for `LanguageModel.LoadOptions.observer`.
  package nonisolated func requestObserver(for name: String) -> RequestObserver {
    let recorder = performance.recorder(for: name)
    return RequestObserver { [privacy] in
      privacy.inferenceBegan(name)
    } ended: { [performance, privacy] facts in
      privacy.inferenceEnded(name)
      guard let facts else { return }
      performance.record(
        InferenceSample(latency: facts.latency, busy: facts.duration, memory: facts.memory), by: recorder)
    }
  }
}

extension ModelStore {
  /// What the model at a location is known by. Its tier is that of the default model whose place it takes, else its own.
  package func identity(of location: ModelLocation) -> ModelIdentity {
    guard let model = catalog.models.first(where: { self.location(of: $0) == location }) else {
      return ModelIdentity(name: "\(location)")
    }
    let defaults = catalog.models.filter { $0.kind == model.kind && !$0.defaultFor.isEmpty }
    let tier = defaults.lazy.compactMap { self.catalog.tiers(of: $0).first { $0.value.name == model.name }?.key }.first
    return ModelIdentity(name: model.name, tier: (tier ?? model.quality).rawValue)
  }

  /// What the catalog promises of a model.
  /// - Parameter memory: bytes that it will take by its own header, where the catalog knows no more.
  func targets(of location: ModelLocation, memory: UInt64) -> PerformanceTargets {
    let model = name(of: location).flatMap { name in catalog.models.first { $0.name == name } }
    return targets(of: model, memory: memory)
  }

  func targets(of model: CatalogModel?, memory: UInt64) -> PerformanceTargets {
    PerformanceTargets(
      latency: model?.latency.map { .milliseconds($0.p95) },
      memory: max(memory, model?.requirements.minimumMemory ?? 0))
  }

  /// The language model that a configuration means.
  /// - Throws: `ModelStoreError`.
  package func select(_ configuration: Configuration) throws(ModelStoreError) -> ModelSelection {
    // Tens of files, read where anybody asks, and once.
    var device: DeviceCapability?
    return try select(
      configuration.model.value, for: configuration.profile.value, quality: configuration.quality.value.quality
    ) { Self.canRun($0, configuration, &device) }
  }

  /// Whether a model may run here within the budget of a configuration, if it comes.
  package func canRun(_ model: CatalogModel, _ configuration: Configuration) -> RunDecision {
    var device: DeviceCapability?
    return Self.canRun(model.requirements, configuration, &device)
  }

  /// - Parameter device: read where it is needed and not known.
  private static func canRun(
    _ requirements: ModelRequirements, _ configuration: Configuration, _ device: inout DeviceCapability?
  ) -> RunDecision {
    let (needed, budget) = (requirements.minimumMemory, configuration.memoryBudget.value)
    guard needed <= budget else { return .no([.budget(needed: needed, budget: budget)]) }
    let known = device ?? .read()
    device = known
    return known.canRun(requirements)
  }
}
