// SPDX-License-Identifier: Apache-2.0
extension LazyModel {
  /// Runs `body` with the model, which is loaded first where it is not. It stays in memory until `body` ends; whoever keeps
  /// it longer keeps its memory.
  ///
  /// Where `body` throws a ``SpoilingError`` the model goes when the uses that run have ended, and the next use loads it anew.
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

  /// Lets nobody in any more, unless another took its place already.
  private func spoil(_ id: UInt64) {
    if id == current.id, state == .loaded { beginUnload() }
  }

  /// Runs `body` with the model where it is loaded, and not at all where it is not; that counts as no use of it.
  public func ifLoaded(_ body: @Sendable (Model) async -> Void) async {
    guard state == .loaded, let model = current.model else { return }
    await body(model)
  }

  /// The model is held in this frame only, so that it is let go before its user is counted out.
  private func call<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Model) async throws -> Value, instance id: UInt64
  ) async throws -> Value {
    guard let model = await model(of: id) else { throw ModelError.modelNotLoaded(model: name) }
    return try await ModelUse.$held.withValue(ModelUse.held.union([ObjectIdentifier(self)])) { try await body(model) }
  }

  private func model(of id: UInt64) -> Model? {
    id == current.id ? current.model : retired[id]?.model
  }

  /// Counts a use in, when there is something to use.
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
