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
    var selection = try store.select(configuration)
    let options = LanguageModel.LoadOptions(configuration, kernelVariant: kernelVariant)
    var loader = try ModelLoader.language(selection.location, options)
    // The catalog's word holds for usual settings; now it is known what these take.
    while loader.bytes > budget,
      let next = selection.steppingDown(
        from: "\(selection.location)", because: .budget(needed: loader.bytes, budget: budget))
    {
      selection = next
      loader = try .language(selection.location, options)
    }
    let name = configuration.model.value ?? "\(selection.location)"
    let model = try add(
      name, loader: loader,
      smaller: selection.smaller.map { try .language($0, options) }, idleTime: configuration.idleTimeToLive.value)
    addCache(name) { await model.ifLoaded { await $0.clearCache() } }
    return (model, selection)
  }
}

extension ModelStore {
  /// The language model that a configuration means.
  /// - Throws: `ModelStoreError`.
  public func select(_ configuration: Configuration) throws(ModelStoreError) -> ModelSelection {
    let budget = configuration.memoryBudget.value
    // Tens of files, read where anybody asks, and once.
    var device: DeviceCapability?
    return try select(
      configuration.model.value, for: configuration.profile.value, quality: configuration.quality.value.quality
    ) { requirements in
      let needed = requirements.minimumMemory
      guard needed <= budget else { return .no([.budget(needed: needed, budget: budget)]) }
      let known = device ?? .read()
      device = known
      return known.canRun(requirements)
    }
  }
}
