// SPDX-License-Identifier: Apache-2.0
/// Degrades to smaller variants when memory is short, and restores better ones.
extension LazyModel {
  /// Steps down to the next smaller loader: what is loaded is unloaded after the uses that run, what loads after those that
  /// wait for it, and the next use loads the smaller one. False where there is none.
  /// - Parameter reason: for people: ``ModelFacts/reason`` as long as it is not the best again.
  @discardableResult
  public func degrade(because reason: String = "it was asked for") -> Bool {
    guard step(to: rung + 1) else { return false }
    self.reason = reason
    return true
  }

  /// Steps up again, in the same way.
  @discardableResult
  public func restore() -> Bool {
    guard step(to: rung - 1) else { return false }
    if rung == 0 { reason = nil }
    return true
  }

  private func step(to new: Int) -> Bool {
    guard loaders.indices.contains(new) else { return false }
    rung = new
    switch state {
    case .loaded: beginUnload()
    case .loading:
      if waiters.isEmpty { doomFlight() }  // else it ends as what is not meant any more
    case .notLoaded, .unloading, .failed: break
    }
    return true
  }
}

/// What is known of a model from outside.
public struct ModelFacts: Sendable, Equatable {
  public var name: String
  public var state: LoadState
  /// What is in memory, or would be loaded.
  public var version: String
  /// Memory it holds, replaced versions included; 0 where nothing is loaded.
  public var bytes: UInt64
  /// Uses that run.
  public var users: Int
  /// Orders uses over all models: the smaller, the longer ago; 0: never.
  package var lastUse: UInt64
  /// Whether there is a smaller variant to step down to.
  package var canDegrade: Bool
  /// Variants below the best that it is, or would be loaded as.
  package var stepsDown: Int
  /// The version that the next use gets, loaded or not, and the best of them.
  public var next: String
  public var best: String
  /// Why that is not the best; nil: it is.
  public var reason: String?

  package init(
    name: String, state: LoadState, version: String = "", bytes: UInt64 = 0, users: Int = 0, lastUse: UInt64 = 0,
    canDegrade: Bool = false, stepsDown: Int = 0, next: String? = nil, best: String? = nil,
    reason: String? = nil
  ) {
    self.name = name
    self.state = state
    self.version = version
    self.bytes = bytes
    self.users = users
    self.lastUse = lastUse
    self.canDegrade = canDegrade
    self.stepsDown = stepsDown
    self.next = next ?? version
    self.best = best ?? version
    self.reason = reason
  }

  var isIdle: Bool { state == .loaded && users == 0 }
}

/// A model of any kind, as the runtime handles it.
protocol ManagedModel: Actor {
  nonisolated var name: String { get }
  var facts: ModelFacts { get }
  var availability: ModelAvailability { get async }
  func preload()
  func unload() async
  func unloadIfIdle() -> Bool
  func degrade(because reason: String) -> Bool
  func restore() -> Bool
}

extension LazyModel: ManagedModel {
  public var facts: ModelFacts {
    ModelFacts(
      name: name, state: state, version: loadedVersion ?? version,
      bytes: retired.values.reduce(current.bytes) { $0.saturatingAdd($1.bytes) }, users: users, lastUse: lastUse,
      canDegrade: loaders.indices.contains(rung + 1), stepsDown: rung, next: version,
      best: loaders[0].version, reason: reason)
  }
}
