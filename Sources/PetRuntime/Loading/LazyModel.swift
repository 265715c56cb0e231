// SPDX-License-Identifier: Apache-2.0
/// A model that is loaded at its first use, once for all concurrent uses, and never unloaded during a use.
///
/// ```swift
/// let model = LazyModel(name: "pose", loader: ModelLoader(version: "1", bytes: 20 << 20) { _ in try Pose(path: path) })
/// let pose = try await model.use { try await $0.classify(frame) }
/// ```
///
/// The models of a ``ModelRuntime`` share a memory budget; a model outside of one has none.
public actor LazyModel<Model: Sendable> {
  public nonisolated let name: String
  /// The best first; each takes less memory than the one before it.
  var loaders: [ModelLoader<Model>]
  /// Index of the loader that the next load uses.
  var rung = 0
  /// Why this is not the best loader.
  var reason: String?
  /// The version that `rollback` restores.
  var previous: ModelLoader<Model>?
  var isInstalling = false

  let idleTime: Duration?
  let clock: any Clock<Duration>
  let gate: MemoryGate
  nonisolated let broadcast = Broadcast<LoadState>(latest: .notLoaded)

  /// The instance that new uses get.
  var current: ModelInstance<Model>
  /// Instances that a newer version has replaced, while uses of them run.
  var retired: [UInt64: ModelInstance<Model>] = [:]
  var lastUse: UInt64 = 0
  var idleTimer: Task<Void, Never>?
  /// Time since the last use ended.
  var restingTime: (@Sendable () -> Duration)?

  var flight: Flight?
  /// How the next load goes, where it is not just the loader.
  var plannedLoad: (@Sendable (@escaping ModelLoader<Model>.Progress) async throws -> LoadedModel<Model>)?
  /// The load goes on without anybody who waits.
  var isWanted = false
  /// Unload as soon as the load that runs has served who waits for it.
  var unloadsAfterLoad = false
  var waiters: [UInt64: Waiter] = [:]
  /// How often a load or an unload ended with nothing under way.
  var rests: UInt64 = 0
  var settling: [CheckedContinuation<Void, Never>] = []
  private var lastID: UInt64 = 0

  /// A load that runs.
  struct Flight {
    let id: UInt64
    /// Which of the loaders it began with.
    let rung: Int
    let task: Task<Void, Never>
    /// It was cancelled, because nobody waited.
    var isDoomed = false
  }

  struct Waiter {
    let continuation: CheckedContinuation<UInt64, any Error>
    /// Whether it becomes a user.
    let enters: Bool
  }

  /// - Parameters:
  ///   - loader: how it is loaded.
  ///   - smaller: what ``degrade()`` steps down to, the best first.
  ///   - idleTime: unloaded after so long without a use; nil: it stays.
  public init(
    name: String, loader: ModelLoader<Model>, smaller: [ModelLoader<Model>] = [], idleTime: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(name: name, loaders: [loader] + smaller, idleTime: idleTime, clock: clock, gate: .open)
  }

  init(
    name: String, loaders: [ModelLoader<Model>], idleTime: Duration?, clock: any Clock<Duration>, gate: MemoryGate
  ) {
    precondition(!loaders.isEmpty)
    self.name = name
    self.loaders = loaders
    self.idleTime = idleTime
    self.clock = clock
    self.gate = gate
    current = ModelInstance(id: 0)
  }

  deinit {
    flight?.task.cancel()
    idleTimer?.cancel()
  }

  public var state: LoadState { current.machine.state }
  /// The number of tasks that wait for a load.
  package var waitingCount: Int { waiters.count }
  public var isLoaded: Bool { state == .loaded }
  /// Whether it can be used now. Nothing is loaded by asking, and no file is looked at.
  public var availability: ModelAvailability {
    get async {
      let memory = await gate.memory()
      return ModelAvailability(.init(state: state, needed: loader.bytes, memory: memory))
    }
  }
  /// Uses that run, those of replaced versions included.
  public var users: Int { retired.values.reduce(current.machine.users) { $0 + $1.machine.users } }
  /// What a load now would load.
  public var version: String { loader.version }
  /// Version of what is in memory; nil: nothing is.
  public var loadedVersion: String? { current.model == nil ? nil : current.version }
  var loader: ModelLoader<Model> { loaders[rung] }

  /// The state now and every change from now on, progress in steps of a hundredth. Each observer has all of them, in order; the
  /// sequence ends when the model goes.
  public nonisolated var states: AsyncStream<LoadState> { broadcast.stream() }

  /// Begins to load in the background. The load goes on though nobody waits for it; ``states`` tells how it ends.
  public func preload() {
    startLoadIfNeeded(isWanted: true)
  }

  /// Loads, and returns when it is done. A load that nobody waits for any more is cancelled.
  /// - Throws: `ModelError.modelLoadFailed`, `.insufficientMemory`; `CancellationError`.
  public func load() async throws {
    if state == .loaded { return }
    try Task.checkCancellation()
    startLoadIfNeeded(isWanted: false)
    _ = try await wait(enters: false)
  }

  /// Unloads, and returns when the memory is free: after the uses that run, and those that wait for a load that runs. A use
  /// that comes later loads again. Within a use of this model it only asks for it.
  public func unload() async {
    isWanted = false
    switch state {
    case .loading:
      if waiters.isEmpty { doomFlight() } else { unloadsAfterLoad = true }
    case .loaded:
      beginUnload()
    case .notLoaded, .unloading, .failed: break
    }
    guard !ModelUse.held.contains(ObjectIdentifier(self)) else { return }
    await rest()
    while !retired.isEmpty { await settle() }
  }

  /// Unloads if it is loaded and nobody uses it; whether it did.
  @discardableResult
  public func unloadIfIdle() -> Bool {
    guard current.machine.isIdle else { return false }
    beginUnload()
    return true
  }

  func newID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Applies an event, which must be possible in this state, and tells observers.
  func apply(_ event: LoadMachine.Event) {
    let before = state
    let isLegal = current.machine.apply(event)
    assert(isLegal, "\(event) in \(before)")
    if state != before { broadcast.send(state) }
  }
}
