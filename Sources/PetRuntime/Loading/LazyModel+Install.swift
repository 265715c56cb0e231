// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Replaces the version that serves by a newer one.
extension LazyModel {
  /// Installs a newer version: validates it, loads it beside the old one where memory allows and else after it, runs
  /// `selfTest` on it, and lets new uses have it; those that run end on the old one, which is then freed. Where nothing is loaded, the
  /// newer version is tried and freed again. A version that fails leaves the old one serving.
  /// - Throws: `ModelError`: what is wrong with the newer version; `CancellationError`.
  public func install(
    _ candidate: ModelLoader<Model>, selfTest: @escaping @Sendable (Model) async throws -> Void = { _ in }
  ) async throws {
    guard !isInstalling else {
      throw ModelError.modelNotAvailable(
        model: name, reason: "another version is being installed; try again when that is done")
    }
    isInstalling = true
    defer { isInstalling = false }
    let trial = Trial(loader: candidate, name: "\(name) \(candidate.version)", rung: rung, gate: gate, test: selfTest)
    try await trial.validate()
    while true {
      while isUnderWay { await rest() }
      switch state == .loaded ? await gate.plan(current.bytes, candidate.bytes) : .beside {
      case .beside:
        return await switchOver(to: try await trial.run { _ in })
      case .after:
        // It may have been unloaded while the plan was made.
        if state == .loaded { return try await replace(by: trial) }
      case .refuse(let available):
        throw ModelError.insufficientMemory(
          model: trial.name, needed: candidate.bytes, available: available, budget: gate.budget)
      }
    }
  }

  /// Returns to the version before the last ``install(_:selfTest:)``, in the same way; once more returns to the newer one.
  /// - Throws: `ModelError.modelNotAvailable` where there is none.
  public func rollback(selfTest: @escaping @Sendable (Model) async throws -> Void = { _ in }) async throws {
    guard let previous else {
      throw ModelError.modelNotAvailable(model: name, reason: "no earlier version was installed")
    }
    try await install(previous, selfTest: selfTest)
  }

  private func switchOver(to loaded: LoadedModel<Model>) async {
    while isUnderWay { await rest() }
    let index = loaded.replaces ?? rung
    let isMeant = index == rung || loaded.loader.isAnotherModel
    adopt(loaded.loader, at: index)
    guard state == .loaded, isMeant else { return }
    let old = current.id
    retired[old] = current
    _ = retired[old]?.machine.apply(.unload)
    current = ModelInstance(id: newID())
    _ = current.machine.apply(.load)
    _ = current.machine.apply(.loaded)
    current.fill(loaded)
    lastUse = UseOrder.next()
    freeIfUnused(old)
    startIdleTimer()
  }

  /// Unloads the old version and loads the newer one, or the old one again where that fails. Uses wait meanwhile.
  private func replace(by trial: Trial<Model>) async throws {
    let refusal = Refusal()
    plannedLoad = { [loader, gate, name] progress in
      do {
        return try await trial.run(progress)
      } catch {
        refusal.error.withLock { $0 = error }
        return try await Self.load(loader, of: name, gate, progress)
      }
    }
    beginUnload()
    startLoadIfNeeded(isWanted: false)
    do {
      _ = try await wait(enters: false)
    } catch {
      plannedLoad = nil
      throw refusal.error.withLock { $0 } ?? error
    }
    if let error = refusal.error.withLock({ $0 }) { throw error }
  }
}

/// A version under test, before it may serve.
private struct Trial<Model: Sendable>: Sendable {
  let loader: ModelLoader<Model>
  let name: String
  let rung: Int
  let gate: MemoryGate
  let test: @Sendable (Model) async throws -> Void

  func validate() async throws {
    do {
      try await loader.validate()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ModelError.modelLoadFailed(model: name, underlying: error)
    }
  }

  func run(_ progress: @escaping ModelLoader<Model>.Progress) async throws -> LoadedModel<Model> {
    var loaded = try await LazyModel.load(loader, of: name, gate, progress)
    do {
      try await test(loaded.model)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ModelError.invalidOutput(model: name, reason: "the self-test failed: \(error)")
    }
    loaded.replaces = rung
    return loaded
  }
}

private final class Refusal: Sendable {
  let error = Mutex<(any Error)?>(nil)
}
