// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// Makes smaller tiers of models that are here, and writes down what tiers were measured to do.
package struct TierMaker: Sendable {
  /// Writes a model's file in another type.
  package typealias Quantization =
    @Sendable (
      _ input: String, _ output: String, _ type: String, _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> Void

  private let store: ModelStore
  private let quantize: Quantization

  package init(store: ModelStore, quantize: @escaping Quantization) {
    self.store = store
    self.quantize = quantize
  }

  package enum Event: Sendable, Equatable {
    /// Another process changes the store; this one waits for it.
    case waiting
    case verifying(done: UInt64, total: UInt64)
    case making(done: UInt64, total: UInt64)
  }

  /// Makes a tier of a model, in the place of one that was made of it before; a new `ModelLibrary` has it.
  ///
  /// Blocks; call it from a thread that may.
  /// - Parameters:
  ///   - model: the better tier, whose file must be here and sound.
  ///   - type: what the quantization understands, such as "Q4_K_M".
  /// - Throws: `TierError`; `InstallError`, where it is the store's trouble; `CancellationError` when the task is cancelled. Nothing has changed
  ///   then.
  package func make(
    _ quality: ModelQuality, of model: CatalogModel, as type: String, report: @escaping @Sendable (Event) -> Void
  ) throws {
    try store.changing(waiting: { report(.waiting) }) { try makeAlone(quality, model, type, report) }
  }

  private func makeAlone(
    _ quality: ModelQuality, _ model: CatalogModel, _ type: String, _ report: @escaping @Sendable (Event) -> Void
  ) throws {
    guard quality < model.quality else { throw TierError.notBelow(model: model.name, quality) }
    if let other = store.catalog.tiers(of: model)[quality], !other.isMade {
      throw TierError.taken(model: model.name, quality, by: other.name)
    }
    let total = model.file.bytes
    guard case .file(let base) = store.location(of: model), let hash = model.file.sha256,
      try store.verify(model, progress: { report(.verifying(done: $0, total: total)) }) == .present
    else { throw TierError.notSound(model: model.name) }
    var local = try LocalCatalog.read(in: store.folder)
    if let available = Folder.freeBytes(at: store.folder), available < total {
      throw InstallError.notEnoughSpace(path: store.folder, needed: total, available: available)
    }
    let name = "\(model.family)-\(quality.rawValue)"
    guard Catalog.isName(name) else { throw TierError.nameTooLong(name) }
    if let other = store.catalog.model(named: name), !other.isMade { throw TierError.nameTaken(name) }
    if local.models.contains(where: { $0.name == name }) { throw TierError.nameTaken(name) }
    let draft = "\(try store.makeStaging(for: name))/model"
    defer { store.removeStaging() }
    do {
      try quantize(base, draft, type) { report(.making(done: UInt64($0), total: UInt64($1))) }
    } catch let error where error is CancellationError || error is FileError {
      throw error
    } catch {
      throw TierError.notMade(model: model.name, type: type, reason: "\(error)")
    }
    let bytes = try OpenFile.regular(draft).size
    guard bytes < total else { throw TierError.notSmaller(model: model.name, type: type, bytes: bytes, than: total) }
    let made = try FileVerifier.hash(of: draft)
    let file = CatalogTierFile(
      name: "\(name)-\(made.description.prefix(12)).gguf", bytes: bytes, sha256: made,
      source: .made(MadeSource(base: model.name, baseSHA256: hash, type: type)), knownAs: name,
      description: "\(model.description); made here, in \(type)", requirements: requirements(model, bytes, quality))
    let outdated = local.forgetOutdatedTiers { store.catalog.model(named: $0)?.file.sha256 }
    local.add(MadeTier(quality: quality, file: file))
    try store.place(draft, as: file.name, of: name, listing: local)
    for other in Folder.names(in: "\(store.folder)/\(name)") where other != file.name {
      Folder.remove("\(store.folder)/\(name)/\(other)")
    }
    for tier in outdated where tier.file.name != file.name { store.remove(tier) }
  }

  /// As the better tier, but for what the file is smaller.
  private func requirements(_ model: CatalogModel, _ bytes: UInt64, _ quality: ModelQuality) -> ModelRequirements {
    var requirements = model.requirements
    let megabyte: UInt64 = 1_000_000
    let less = (model.file.bytes - bytes) / megabyte * megabyte
    requirements.minimumMemory = max(megabyte, requirements.minimumMemory.saturatingSubtract(less))
    requirements.recommendedQuality = quality
    return requirements
  }

  /// Writes down what a tier's file does.
  /// - Throws: `InstallError`.
  package func record(_ measurement: ModelMeasurement, of model: CatalogModel, waiting: () -> Void) throws {
    try store.changing(waiting: waiting) {
      var local = try LocalCatalog.read(in: store.folder)
      local.measure(model.name, measurement)
      try local.write(in: store.folder)
    }
  }
}
