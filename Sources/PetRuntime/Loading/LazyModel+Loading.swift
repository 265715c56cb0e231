// SPDX-License-Identifier: Apache-2.0
extension LazyModel {
  var isUnderWay: Bool {
    switch state {
    case .loading, .unloading: true
    case .notLoaded, .loaded, .failed: false
    }
  }

  func startLoadIfNeeded(isWanted wanted: Bool) {
    switch state {
    case .notLoaded, .failed:
      isWanted = isWanted || wanted
      startLoad()
    case .loading:
      isWanted = isWanted || wanted
      if wanted { unloadsAfterLoad = false }
    case .unloading:
      isWanted = isWanted || wanted  // loads again when that is done
    case .loaded: break
    }
  }

  /// Makes `loader` the version that is loaded from now on.
  func adopt(_ loader: ModelLoader<Model>, at rung: Int) {
    previous = loaders[rung]
    loaders[rung] = loader
    if loader.isAnotherModel {
      loaders.removeFirst(rung)
      self.rung = max(0, self.rung - rung)
      if self.rung == 0 { reason = nil }
    }
    loader.onAdopt()
  }

  private func startLoad() {
    let id = newID()
    let load = plannedLoad ?? { [loader, gate, name] in try await Self.load(loader, of: name, gate, $0) }
    plannedLoad = nil
    apply(.load)
    let steps = ProgressSteps()
    let task = Task { [weak self] in
      let outcome = Handover<Result<LoadedModel<Model>, any Error>>()
      do {
        outcome.give(
          .success(
            try await load { [weak self] progress in
              guard steps.isStep(progress) else { return }
              Task { await self?.advance(to: progress, flight: id) }
            }))
      } catch {
        outcome.give(.failure(error))
      }
      await self?.finish(id, outcome)
    }
    flight = Flight(id: id, rung: rung, task: task)
  }

  /// Reserves memory, then loads the model; returns the memory where the load fails.
  static func load(
    _ loader: ModelLoader<Model>, of name: String, _ gate: MemoryGate, _ progress: @escaping ModelLoader<Model>.Progress
  ) async throws -> LoadedModel<Model> {
    let reservation = try await gate.reserve(loader.bytes)
    do {
      try Task.checkCancellation()
      return LoadedModel(model: try await loader.load(progress), loader: loader, reservation: reservation)
    } catch let error as ModelError {
      throw error
    } catch let error as CancellationError where Task.isCancelled {
      throw error
    } catch {
      throw ModelError.modelLoadFailed(model: name, underlying: error)
    }
  }

  private func advance(to progress: Double, flight id: UInt64) {
    // Reports arrive one by one and may overtake each other: late ones are dropped.
    guard flight?.id == id, case .loading(let before) = state, progress > before else { return }
    apply(.progress(progress))
  }

  private func finish(_ id: UInt64, _ outcome: Handover<Result<LoadedModel<Model>, any Error>>) {
    guard let ended = flight, ended.id == id else { return }
    flight = nil
    land(ended, outcome)
    let goes = unloadsAfterLoad
    unloadsAfterLoad = false
    switch state {
    case .loaded where goes: beginUnload()
    case .loaded:
      cameToRest()
      startIdleTimer()
    case .notLoaded, .loading, .unloading, .failed:
      cameToRest()
      // It was cancelled or superseded: whoever has begun to wait since gets a load of their own.
      if isWanted || !waiters.isEmpty { startLoad() }
    }
  }

  /// Takes in what a load came to. In a frame of its own: what is not kept is free before another load asks for memory.
  private func land(_ ended: Flight, _ outcome: Handover<Result<LoadedModel<Model>, any Error>>) {
    switch outcome.take() {
    case .success(let loaded)? where isWelcome(loaded, of: ended):
      // Where another variant was chosen meanwhile, this one serves those who waited and is unloaded.
      if isMeant(loaded, of: ended) { isWanted = false } else { unloadsAfterLoad = true }
      current = renewed()
      current.fill(loaded)
      if let rung = loaded.replaces { adopt(loaded.loader, at: rung) }
      lastUse = UseOrder.next()
      apply(.loaded)
      letIn()
    case .failure(let error)? where !ended.isDoomed:
      isWanted = false
      apply(.failed(reason: "\(error)"))
      resumeWaiters { $0.continuation.resume(throwing: error) }
    case .success?, .failure?, nil:
      apply(.cancelled)
    }
  }

  private func isWelcome(_ loaded: LoadedModel<Model>, of flight: Flight) -> Bool {
    !waiters.isEmpty || (isMeant(loaded, of: flight) && (isWanted || !flight.isDoomed))
  }

  /// Whether it is the variant that a load now would load.
  private func isMeant(_ loaded: LoadedModel<Model>, of flight: Flight) -> Bool {
    (loaded.replaces ?? flight.rung) == rung
  }

  /// The same machine under a number of its own.
  private func renewed() -> ModelInstance<Model> {
    var instance = ModelInstance<Model>(id: newID())
    instance.machine = current.machine
    return instance
  }

  /// Everybody who waited is a user before anything else can happen.
  private func letIn() {
    resumeWaiters { waiter in
      waiter.continuation.resume(returning: waiter.enters ? enterCurrent(.enter) : 0)
    }
  }

  private func resumeWaiters(_ body: (Waiter) -> Void) {
    let all = waiters.sorted { $0.key < $1.key }
    waiters = [:]
    for (_, waiter) in all { body(waiter) }
  }

  // MARK: Unloading

  func beginUnload() {
    apply(.unload)
    finishUnloadIfUnused()
  }

  func finishUnloadIfUnused() {
    guard state == .unloading, current.machine.users == 0 else { return }
    current.empty()
    apply(.unloaded)
    cameToRest()
    if isWanted || !waiters.isEmpty { startLoad() }
  }

  func doomFlight() {
    flight?.isDoomed = true
    flight?.task.cancel()
  }

  // MARK: Waiting

  /// Waits for the load that runs, or that follows the unload that runs.
  func wait(enters: Bool) async throws -> UInt64 {
    let id = newID()
    return try await withTaskCancellationHandler {
      // A task that is cancelled already waits too, until the line below takes it out again.
      try await withCheckedThrowingContinuation { waiters[id] = Waiter(continuation: $0, enters: enters) }
    } onCancel: {
      Task { await self.stopWaiting(id) }
    }
  }

  private func stopWaiting(_ id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    waiter.continuation.resume(throwing: CancellationError())
    cancelLoadIfUnwanted()
  }

  private func cancelLoadIfUnwanted() {
    if waiters.isEmpty, !isWanted, flight != nil { doomFlight() }
  }

  /// Returns when nothing was under way for a moment; another load may have begun by then.
  func rest() async {
    let before = rests
    while isUnderWay, rests == before { await settle() }
  }

  func cameToRest() {
    rests &+= 1
    resumeSettling()
  }

  /// Waits until a load or an unload ends, or a replaced version goes.
  func settle() async {
    await withCheckedContinuation { settling.append($0) }
  }

  func resumeSettling() {
    let all = settling
    settling = []
    for continuation in all { continuation.resume() }
  }
}
