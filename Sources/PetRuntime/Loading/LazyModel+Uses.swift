// SPDX-License-Identifier: Apache-2.0
extension LazyModel {
  /// Loads the model unless it is loaded, and runs `body` with it. The model stays in memory until `body` ends; keeping it longer
  /// keeps its memory.
  ///
  /// Where `body` throws a `SpoilingError`, the model is unloaded after the running uses, and the next use loads it anew.
  /// - Throws: `ModelError.modelLoadFailed`, `.insufficientMemory`; `CancellationError`; what `body` throws.
  @discardableResult
  public func use<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Model) async throws -> Value
  ) async throws -> Value {
    let id = try await enter()
    do {
      let value = try await call(body, instance: id)
      await leave(id)
      return value
    } catch {
      // First, so that nobody enters in between.
      if let error = error as? any SpoilingError, error.spoilsModel { await spoil(id) }
      await leave(id)
      throw error
    }
  }

  /// Admits no further uses, unless another instance has replaced this one already.
  private func spoil(_ id: UInt64) {
    if id == current.id, state == .loaded { beginUnload() }
  }

  /// Runs `body` only where the model is loaded. Does not count as a use.
  public func ifLoaded(_ body: @Sendable (Model) async -> Void) async {
    guard state == .loaded, let model = current.model else { return }
    await body(model)
  }

  /// Holds the model in this frame only, so that it is released before its use is counted as ended.
  private func call<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Model) async throws -> Value, instance id: UInt64
  ) async throws -> Value {
    guard let model = await model(of: id) else { throw ModelError.modelNotLoaded(model: name) }
    return try await ModelUse.$held.withValue(ModelUse.held.union([ObjectIdentifier(self)])) { try await body(model) }
  }

  private func model(of id: UInt64) -> Model? {
    id == current.id ? current.model : retired[id]?.model
  }

  /// Counts a use, where there is a model to use.
  private func enter() async throws -> UInt64 {
    try Task.checkCancellation()
    switch state {
    case .loaded:
      return enterCurrent(.enter)
    case .unloading where current.machine.users > 0 && ModelUse.held.contains(ObjectIdentifier(self)):
      return enterCurrent(.enterWithin)
    case .notLoaded, .failed, .loading, .unloading:
      startLoadIfNeeded(isWanted: false)
      return try await wait(enters: true)
    }
  }

  func enterCurrent(_ event: LoadMachine.Event) -> UInt64 {
    apply(event)
    lastUse = UseOrder.next()
    return current.id
  }

  private func leave(_ id: UInt64) {
    if id == current.id {
      apply(.leave)
      lastUse = UseOrder.next()
      if state == .unloading { finishUnloadIfUnused() } else { startIdleTimer() }
    } else if var old = retired[id] {
      _ = old.machine.apply(.leave)
      retired[id] = old
      freeIfUnused(id)
    }
  }

  /// Frees a replaced instance once nobody uses it.
  func freeIfUnused(_ id: UInt64) {
    guard var old = retired[id], old.machine.users == 0 else { return }
    retired[id] = nil
    old.empty()
    resumeSettling()
  }

  /// One timer, which looks again where uses or loads came meanwhile: a task that sleeps stays in memory until its time is up, even when it
  /// is cancelled, and uses may come a thousand times a second.
  func startIdleTimer() {
    guard let idleTime, current.machine.isIdle else { return }
    restingTime = Self.stopwatch(clock)
    if idleTimer == nil { sleep(for: idleTime) }
  }

  private func sleep(for time: Duration) {
    let use = lastUse
    idleTimer = Task { [weak self, clock] in
      guard (try? await clock.sleep(for: time)) != nil else { return }
      await self?.idleTimerEnded(since: use)
    }
  }

  private func idleTimerEnded(since use: UInt64) {
    idleTimer = nil
    guard let idleTime, let restingTime, current.machine.isIdle else { return }
    if use == lastUse { unloadIfIdle() } else { sleep(for: max(.zero, idleTime - restingTime())) }
  }

  private static func stopwatch<Timekeeper: Clock<Duration>>(_ clock: Timekeeper) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
