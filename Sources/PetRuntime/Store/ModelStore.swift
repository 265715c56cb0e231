// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// A folder of model files, with the catalog that describes them.
public struct ModelStore: Sendable {
  /// Path; holds one folder per model, named as the model.
  public let folder: String
  public let catalog: Catalog

  public init(folder: String, catalog: Catalog) {
    self.folder = folder
    self.catalog = catalog
  }

  /// The folder of one model.
  func folder(of model: CatalogModel) -> String { "\(folder)/\(model.name)" }

  /// Path of the file of a model that is not built in, whether or not it is installed.
  package func path(of model: CatalogModel) -> String { "\(folder(of: model))/\(model.file.name)" }

  /// Where the model's bytes are, or would be once it is installed.
  public func location(of model: CatalogModel) -> ModelLocation {
    model.source == .builtIn ? .builtIn(name: model.file.name) : .file(path: path(of: model))
  }

  /// Reads the file of a separate model whole; returns at once for any other model.
  /// - Throws: `ModelStoreError.notInstalled`, `.damaged`; `CancellationError`.
  package func checkSeparate(_ model: CatalogModel) throws {
    guard model.source == .separate else { return }
    switch try verify(model) {
    case .present: return
    case .absent: throw model.absence
    case .damaged(let error): throw ModelStoreError.damaged(name: model.name, error)
    }
  }

  /// Where its bytes and those of its parts are, or would be.
  package func locations(of model: CatalogModel) -> [ModelLocation] {
    [location(of: model)] + model.parts.map { .builtIn(name: $0.name) }
  }

  /// The state by size alone: fast. Use `verify` to detect changed bytes.
  public func state(of model: CatalogModel) -> ModelState {
    if model.source == .builtIn {
      for file in model.files {
        guard let bytes = BuiltInFiles.bytes(named: file.name) else { return .absent }
        guard bytes.count == file.bytes else {
          return .damaged(.size(path: file.name, expected: file.bytes, actual: UInt64(bytes.count)))
        }
      }
      return .present
    }
    let path = path(of: model)
    var status = stat()
    guard stat(path, &status) == 0 else { return .absent }
    guard model.file.sha256 != nil else { return .damaged(.unknownHash(path: path)) }
    do {
      try FileVerifier.verifySize(path, bytes: model.file.bytes)
      return .present
    } catch {
      return .damaged(error)
    }
  }

  /// The state by size and SHA-256: reads the whole file.
  /// - Throws: `CancellationError`.
  public func verify(_ model: CatalogModel, progress: (@Sendable (_ bytes: UInt64) -> Void)? = nil) throws -> ModelState
  {
    guard case .present = state(of: model) else { return state(of: model) }
    let file = model.file
    guard let sha256 = file.sha256 else { return .damaged(.unknownHash(path: path(of: model))) }
    do {
      if model.source == .builtIn {
        for file in model.files {
          guard let bytes = BuiltInFiles.bytes(named: file.name), let sha256 = file.sha256 else { return .absent }
          try FileVerifier.verify(bytes, named: file.name, sha256: sha256)
        }
        return .present
      }
      try FileVerifier.verify(path(of: model), bytes: file.bytes, sha256: sha256, progress: progress)
      return .present
    } catch let error as VerificationError {
      return .damaged(error)
    }
  }

  /// Models with a file, whole or not, or a partial download in the store.
  package var begun: [CatalogModel] {
    catalog.models.filter { Folder.isFolder(folder(of: $0)) || Folder.isFolder(downloads(of: $0.name)) }
  }

  /// The model of this name; nil names the profile's default.
  /// - Throws: `ModelStoreError`.
  public func model(named name: String?, for profile: Profile = .phone) throws(ModelStoreError) -> CatalogModel {
    guard let name else {
      guard let model = catalog.defaultModel(for: profile) else { throw .noDefault }
      return model
    }
    guard Catalog.isName(name) else { throw .invalidName(name) }
    guard let model = catalog.model(named: name) else { throw .unknown(name: name, known: catalog.models.map(\.name)) }
    return model
  }

  /// Resolves a path (with a slash or the suffix ".gguf") or a name of the catalog. `nil` means the profile's default model, in the
  /// best installed tier that can run, else a built-in model. Checks sizes, not contents.
  /// - Parameters:
  ///   - quality: the best tier of the default to consider; nil: any.
  ///   - canRun: asked for each tier of the default; a model that is named is not asked about.
  /// - Throws: `ModelStoreError`.
  public func select(
    _ nameOrPath: String?, for profile: Profile = .phone, quality: ModelQuality? = nil,
    canRun: (ModelRequirements) -> RunDecision = { _ in .yes }
  ) throws(ModelStoreError) -> ModelSelection {
    guard let nameOrPath else {
      let model = try model(named: nil, for: profile)
      let builtIn = catalog.models.first { $0.kind == model.kind && $0.source == .builtIn }
      let tiers = catalog.tiers(of: model)
      let known = ModelQuality.allCases.compactMap { quality in
        tiers[quality].map { tier in
          ModelSelection.Tier(
            quality: quality, name: tier.name, location: location(of: tier), state: state(of: tier),
            decision: canRun(tier.requirements))
        }
      }
      return try .decide(known, wanted: quality, builtIn: builtIn.map(location(of:)))
    }
    if Self.isPath(nameOrPath) {
      return ModelSelection(location: .file(path: try existing(nameOrPath)), standsIn: nil)
    }
    let model = try model(named: nameOrPath)
    switch state(of: model) {
    case .present: return ModelSelection(location: location(of: model), standsIn: nil)
    case .absent: throw model.absence
    case .damaged(let error): throw .damaged(name: model.name, error)
    }
  }

  /// The catalog's name of the model at a location; nil for other files.
  package func name(of location: ModelLocation) -> String? {
    catalog.models.first { self.location(of: $0) == location }?.name
  }

  /// Whether it is meant as a path, not as a name.
  package static func isPath(_ nameOrPath: String) -> Bool {
    nameOrPath.contains("/") || nameOrPath.lowercased().hasSuffix(".gguf")
  }

  private func existing(_ path: String) throws(ModelStoreError) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { throw .noSuchFile(path: path) }
      throw .file(FileError(path: path, operation: "open", code: errno))
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    return path
  }
}

/// The state of one model's files.
public enum ModelState: Sendable, Equatable {
  case present
  case absent
  case damaged(VerificationError)

  /// "present", "absent", "damaged".
  public var name: String {
    switch self {
    case .present: "present"
    case .absent: "absent"
    case .damaged: "damaged"
    }
  }
}
