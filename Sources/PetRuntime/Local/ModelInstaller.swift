// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// Takes a person's own model files into the store, and models out of it.
package struct ModelInstaller: Sendable {
  private let store: ModelStore
  private let inspect: ModelInspection

  /// - Parameter inspect: looks at files before they are kept.
  package init(store: ModelStore, inspect: @escaping ModelInspection) {
    self.store = store
    self.inspect = inspect
  }

  package enum Event: Sendable, Equatable {
    /// Another process changes the store; this one waits for it.
    case waiting
    case copying(done: UInt64, total: UInt64)
    case verifying(done: UInt64, total: UInt64)
  }

  package struct Options: Sendable {
    /// Whether a model of that name, which was installed so too, makes place.
    package var replaces = false
    /// Whether the store shares the file's bytes on disk with whoever gave it, who must not change it then.
    package var links = false
    package var description: String?
    /// SPDX identifier.
    package var licence = "unknown"

    package init() {}
  }

  /// Installs a file under a name. It is copied first, and looked at, hashed and kept as what was copied: what happens to the
  /// original meanwhile does not matter. Under the name of a separate model of the catalog the file must be that model's.
  ///
  /// Blocks; call it from a thread that may.
  /// - Returns: the model, which a new `ModelLibrary` has too.
  /// - Throws: `InstallError`; `CancellationError` when the task is cancelled. Nothing has changed then.
  package func install(
    _ path: String, as name: String, _ options: Options = Options(), report: @escaping @Sendable (Event) -> Void
  ) throws -> CatalogModel {
    guard Catalog.isName(name) else { throw InstallError.invalidName(name) }
    return try store.changing(waiting: { report(.waiting) }) { try installAlone(path, name, options, report) }
  }

  private func installAlone(
    _ path: String, _ name: String, _ options: Options, _ report: @escaping @Sendable (Event) -> Void
  ) throws -> CatalogModel {
    if let model = store.catalog.model(named: name), model.source == .separate {
      return try installSeparate(model, from: path, options, report)
    }
    var local = try LocalCatalog.read(in: store.folder)
    let earlier = local.models.first { $0.name == name }
    if let other = store.catalog.model(named: name), other.origin != .local {
      throw InstallError.taken(name, by: other.origin)
    }
    if let tier = local.made.first(where: { $0.file.knownAs == name }) {
      throw InstallError.tier(name, of: tier.base)
    }
    guard earlier == nil || options.replaces else { throw InstallError.taken(name, by: .local) }
    defer { store.removeStaging() }
    let draft = try stage(path, for: name, options, report)
    let model: InspectedModel
    do {
      model = try inspect(draft)
    } catch {
      throw Self.refusal(of: path, error, draft: draft)
    }
    let bytes = try OpenFile.regular(draft).size
    let hash = try FileVerifier.hash(of: draft) { report(.verifying(done: $0, total: bytes)) }
    // A name of its own, so that an older version serves until the catalog says otherwise.
    let file = CatalogTierFile(
      name: "\(name)-\(hash.description.prefix(12)).gguf", bytes: bytes, sha256: hash, source: .local)
    let entry = CatalogEntry(name: name, model, file, options)
    let outdated = earlier == nil ? [] : local.forgetTiers(of: name)
    local.add(entry)
    let catalog = try local.catalog()
    try store.place(draft, as: file.name, of: name, listing: local)
    // The older version, and what an install that was cut short left.
    for other in Folder.names(in: "\(store.folder)/\(name)") where other != file.name {
      Folder.remove("\(store.folder)/\(name)/\(other)")
    }
    for tier in outdated { store.remove(tier) }
    guard let installed = catalog.model(named: name) else { throw InstallError.invalidName(name) }
    return installed
  }

  /// Keeps a file whose size and SHA-256 the catalog knows; nothing is copied where it is here already.
  private func installSeparate(
    _ model: CatalogModel, from path: String, _ options: Options, _ report: @escaping @Sendable (Event) -> Void
  ) throws -> CatalogModel {
    let total = model.file.bytes
    func verify(_ file: String) throws {
      do {
        guard let sha256 = model.file.sha256 else { throw VerificationError.unknownHash(path: file) }
        try FileVerifier.verify(file, bytes: total, sha256: sha256) { report(.verifying(done: $0, total: total)) }
      } catch let error as VerificationError {
        throw Self.refusal(of: path, error, draft: file)
      }
    }
    guard try store.verify(model) != .present else {
      try verify(path)
      return model
    }
    defer { store.removeStaging() }
    let draft = try stage(path, for: model.name, options, report)
    try verify(draft)
    try store.place(draft, as: model.file.name, of: model.name)
    return model
  }

  /// Copies or links the file to where no reader of the store looks; returns the path of the draft.
  private func stage(
    _ path: String, for name: String, _ options: Options, _ report: @escaping @Sendable (Event) -> Void
  ) throws -> String {
    let draft = "\(try store.makeStaging(for: name))/model"
    let total = try OpenFile.regular(path).size
    if options.links {
      try Self.link(path, to: draft)
    } else {
      try checkSpace(total)
      try Self.copy(path, to: draft) { report(.copying(done: $0, total: total)) }
    }
    return draft
  }

  /// Names the file that was given, where the error names its draft.
  private static func refusal(of path: String, _ error: any Error, draft: String) -> InstallError {
    let reason = "\(error)"
    return .refused(
      path: path, reason: reason.hasPrefix("\(draft): ") ? String(reason.dropFirst(draft.count + 2)) : reason)
  }

  private func checkSpace(_ needed: UInt64) throws {
    guard let available = Folder.freeBytes(at: store.folder), available < needed else { return }
    throw InstallError.notEnoughSpace(path: store.folder, needed: needed, available: available)
  }

  private static func link(_ path: String, to draft: String) throws {
    guard linkat(AT_FDCWD, path, AT_FDCWD, draft, Int32(AT_SYMLINK_FOLLOW)) == 0 else {
      throw errno == EXDEV || errno == EMLINK || errno == EPERM
        ? InstallError.cannotLink(path: path) : InstallError.file(FileError(path: path, operation: "link", code: errno))
    }
  }

  /// Reads and writes, so that progress is seen and a cancelled task ends.
  private static func copy(_ path: String, to draft: String, progress: (UInt64) -> Void) throws {
    let source = try OpenFile.regular(path)
    let target = try OpenFile(draft, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 22, alignment: 64)
    defer { buffer.deallocate() }
    var done: UInt64 = 0
    while true {
      try Task.checkCancellation()
      let count = try source.read(into: buffer)
      guard count > 0 else { return }
      try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      done += UInt64(count)
      progress(done)
    }
  }

  /// Takes a model's file out of the store, with what is left of its download.
  ///
  /// A hash that was found at the first fetch stays known, so that the same name never comes to mean another file unseen.
  /// - Parameter forgetsPin: whether that is forgotten too.
  /// - Returns: bytes that are free now.
  /// - Throws: `InstallError`.
  package func remove(_ model: CatalogModel, forgetsPin: Bool, waiting: () -> Void) throws -> UInt64 {
    guard model.source != .builtIn else { throw InstallError.builtIn(model.name) }
    return try store.changing(waiting: waiting) { try removeAlone(model, forgetsPin: forgetsPin) }
  }

  private func removeAlone(_ model: CatalogModel, forgetsPin: Bool) throws -> UInt64 {
    let before = try LocalCatalog.read(in: store.folder)
    var local = before
    let folder = store.folder(of: model)
    let downloads = store.downloads(of: model.name)
    var freed = Folder.bytes(below: folder) + Folder.bytes(below: downloads)
    let staging = try store.makeStaging(for: model.name)
    defer { store.removeStaging() }
    // Out of sight at once, so that no half of it is ever seen.
    if rename(folder, "\(staging)/model") != 0, errno != ENOENT {
      throw FileError(path: folder, operation: "remove", code: errno)
    }
    var outdated: [MadeTier] = []
    switch model.source {
    case .local:
      local.remove(model.name)
      outdated = local.forgetTiers(of: model.name)
    case .made(let source): local.forgetTier(model.quality, of: source.base)
    default: if forgetsPin { local.forgetPin(model.name) }
    }
    local.measure(model.name, nil)
    do {
      if local != before { try local.write(in: store.folder) }
    } catch {
      // What is listed is here.
      if !local.isWritten(in: store.folder) { rename("\(staging)/model", folder) }
      throw error
    }
    for tier in outdated {
      freed += tier.file.bytes
      store.remove(tier)
    }
    Folder.remove(downloads)
    return freed
  }
}

extension CatalogEntry {
  /// A person's own model.
  fileprivate init(
    name: String, _ model: InspectedModel, _ file: CatalogTierFile, _ options: ModelInstaller.Options
  ) {
    let title = model.title.map { String($0.prefix(120)) }
    self.init(
      name: name, kind: model.kind, architecture: model.architecture, parameters: model.parameters,
      description: options.description ?? title.map { "your own: \($0)" } ?? "your own", licence: options.licence,
      context: model.context,
      requirements: ModelRequirements(
        minimumMemory: min(model.memory / 1_000_000 + 1, 1_000_000) * 1_000_000, size: file.bytes,
        int8Hardware: .recommended),
      files: CatalogTiers(file, as: .high))
  }
}
