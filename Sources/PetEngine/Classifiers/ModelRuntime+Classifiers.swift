// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetInference
import PetRuntime

extension ModelRuntime {
  /// Adds the classifiers that the catalog has for a profile; nothing is loaded by that. Each begins with the tier that the
  /// configuration asks for or that suits the device, steps down to those below it, and goes when it was idle for as long as
  /// the configuration says.
  /// - Parameters:
  ///   - device: decides where the configuration leaves the tier open; nil: this one, read then.
  ///   - observer: told of every inference, beside ``performance``.
  /// - Throws: `ModelStoreError.noDefault` where the catalog has none of a kind; `ModelError.modelNotAvailable` where they
  ///   were added before.
  public func addClassifiers(
    _ configuration: Configuration, in store: ModelStore, device: DeviceCapability? = nil,
    observer: @escaping Inference.Observer = { _ in }
  ) throws -> Classifiers {
    let choice = TierChoice(configuration, store, device)
    return Classifiers(
      pose: try add(choice), affect: try add(choice), expression: try add(choice), stress: try add(choice),
      runtime: self, runsOptional: configuration.optionalClassifiers.value, observer: observer)
  }

  private func add<Model: CatalogClassifier>(_ choice: TierChoice) throws -> LazyModel<Model> {
    let (name, tiers) = try choice.tiers(Model.kind)
    if let (_, best) = tiers.first {
      performance.setTargets(choice.store.targets(of: best, memory: best.requirements.minimumMemory), for: name)
    }
    let loaders = tiers.map { quality, model in Self.loader(model, quality, in: choice.store) as ModelLoader<Model> }
    return try add(
      name, loader: loaders[0], smaller: Array(loaders.dropFirst()), idleTime: choice.configuration.idleTimeToLive.value
    )
  }

  private static func loader<Model: CatalogClassifier>(
    _ model: CatalogModel, _ quality: ModelQuality, in store: ModelStore
  ) -> ModelLoader<Model> {
    let name = TieredName(function: Model.function, quality: quality)?.baseName ?? model.name
    return ModelLoader(version: name, bytes: model.requirements.minimumMemory) { _ in
      try store.checkSeparate(model)
      let files = try store.locations(of: model).map { try GGUFFile($0) }
      defer {
        // Weights are kept as the operators want them: neither the files nor what was between is looked at again.
        for file in files { MappedPages.letGo(file.mapping.bytes) }
        HeapMemory.giveBack()
      }
      guard Model.fileCount.contains(files.count) else {
        throw ClassifierError.invalidModel("\(model.name) consists of \(files.count) files")
      }
      return try Model.load(files, quality)
    }
  }
}

/// Which tiers of the classifiers are used.
private final class TierChoice {
  let configuration: Configuration
  let store: ModelStore
  // Tens of files, read where anybody asks, and once.
  private lazy var device = DeviceCapability.read(models: store.folder)

  init(_ configuration: Configuration, _ store: ModelStore, _ device: DeviceCapability?) {
    self.configuration = configuration
    self.store = store
    if let device { self.device = device }
  }

  /// The best that is wanted, then those below it: at least one.
  func tiers(_ kind: ModelKind) throws(ModelStoreError) -> (name: String, tiers: [(ModelQuality, CatalogModel)]) {
    guard let best = store.catalog.defaultModel(for: configuration.profile.value, kind: kind) else {
      throw .noDefault
    }
    let all = store.catalog.tiers(of: best)
    let wanted = configuration.classifierQuality.value.quality ?? device.recommendedQuality(for: best.requirements)
    let known = ModelQuality.allCases.compactMap { quality in all[quality].map { (quality, $0) } }
    let allowed = known.filter { $0.0 <= wanted }
    // Nothing so low: the lowest there is.
    return (best.name, allowed.isEmpty ? known.suffix(1) : allowed)
  }
}
