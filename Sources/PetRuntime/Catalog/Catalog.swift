// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The models that are known, with their sizes, hashes and sources. Schema: `Models/README.md`.
public struct Catalog: Sendable, Equatable {
  /// The only schema version that is understood.
  package static let supportedVersion = 2
  /// Limit of the input's size, far above any real catalog.
  static let maximumBytes = 4 << 20

  package let publication: CatalogPublication?
  /// Every file of every model: grouped by model, the best tier first.
  public private(set) var models: [CatalogModel]
  private(set) var entries: [CatalogEntry]

  /// Decodes and checks a catalog.
  /// - Throws: `CatalogError`.
  package init(json: Data, origin: CatalogOrigin = .builtIn) throws(CatalogError) {
    let content = try Self.decode(json)
    try self.init(content.models, content.publication, origin)
  }

  init(
    _ entries: [CatalogEntry], _ publication: CatalogPublication? = nil, _ origin: CatalogOrigin
  ) throws(CatalogError) {
    self.entries = entries
    self.publication = publication
    models = entries.flatMap { $0.variants(from: origin) }
    try CatalogRules(entries: entries, models: models, origin: origin).check()
  }

  /// The catalog that is part of this build.
  public static func builtIn() throws(CatalogError) -> Catalog {
    try Catalog(json: Data(PackageResources.catalog_json))
  }

  /// The model of this name, or nil.
  public func model(named name: String) -> CatalogModel? {
    models.first { $0.name == name }
  }

  /// The model that is used where none is named.
  public func defaultModel(for profile: Profile = .phone, kind: ModelKind = .language) -> CatalogModel? {
    models.first { $0.kind == kind && $0.defaultFor.contains(profile) }
  }

  /// The files of each tier of the model: its own, and other models that substitute a tier.
  public func tiers(of model: CatalogModel) -> [ModelQuality: CatalogModel] {
    guard let entry = entries.first(where: { $0.name == model.family }) else { return [model.quality: model] }
    var tiers: [ModelQuality: CatalogModel] = [:]
    for quality in ModelQuality.allCases {
      switch entry.files[quality] {
      case .file: tiers[quality] = models.first { $0.family == entry.name && $0.quality == quality }
      case .model(let name): tiers[quality] = self.model(named: name)
      case nil: break
      }
    }
    return tiers
  }

  /// This catalog and the models of another. A tier or an adapted model may name one of either.
  /// - Throws: `CatalogError.taken` for a name that is in both: nothing takes the place of what was there.
  func joined(with other: Catalog) throws(CatalogError) -> Catalog {
    let names = Set(models.map(\.name) + entries.map(\.name))
    for name in other.models.map(\.name) + other.entries.map(\.name) where names.contains(name) {
      throw .taken(name, by: (model(named: name) ?? models.first { $0.family == name })?.origin ?? .builtIn)
    }
    var both = self
    both.entries += other.entries
    both.models += other.models
    try CatalogRules(entries: other.entries, models: other.models, origin: .builtIn).checkReferences(in: both)
    return both
  }

  /// Leaves out what comes from there, and what was made of it.
  mutating func remove(_ origin: CatalogOrigin) {
    let families = Set(models.filter { $0.origin == origin && !$0.isMade }.map(\.family))
    models.removeAll { families.contains($0.family) }
    entries.removeAll { families.contains($0.name) }
  }

  /// The same with the sizes and hashes that were found at the first fetch.
  func pinned(_ pins: [String: PinnedFile]) -> Catalog {
    var copy = self
    for index in models.indices where models[index].file.sha256 == nil {
      guard let pin = pins[models[index].name], pin.file == models[index].file.name else { continue }
      copy.models[index] = models[index].pinned(pin)
    }
    return copy
  }

  /// The same with the tiers that this machine made of models: those whose base is still the file they were made of. Nothing
  /// takes the place of what was there.
  func completed(with made: [MadeTier]) -> Catalog {
    var copy = self
    for tier in made {
      guard case .made(let source) = tier.file.source,
        let base = model(named: source.base), base.file.sha256 == source.baseSHA256,
        let entry = copy.entries.firstIndex(where: { $0.name == base.family }),
        copy.entries[entry].files[tier.quality] == nil, tier.quality < base.quality,
        let last = copy.models.lastIndex(where: { $0.family == base.family && $0.quality > tier.quality })
      else { continue }
      let model = CatalogModel(copy.entries[entry], tier.file, tier.quality, isBest: false, from: .local)
      guard copy.model(named: model.name) == nil else { continue }
      copy.entries[entry].files.add(tier.file, as: tier.quality)
      copy.models.insert(model, at: last + 1)
    }
    return copy
  }

  /// The same with what was measured of files that are still those.
  func measured(_ measurements: [String: ModelMeasurement]) -> Catalog {
    var copy = self
    for index in models.indices {
      guard let found = measurements[models[index].name], found.sha256 == models[index].file.sha256 else { continue }
      copy.models[index].measurement = found
    }
    return copy
  }
}
