// SPDX-License-Identifier: Apache-2.0
/// The states of one model as a value: which events are possible in which state, and what follows.
///
/// ```
///               load              loaded              unload
/// notLoaded ----------> loading ----------> loaded ----------> unloading
///     ^                 |  |  ^             enter, leave       leave
///     |    cancelled    |  |  |                                   |
///     |-----------------+  |  | load        unloaded, no users    |
///     |                    v  |                                   |
///     |            failed ----+                                   |
///     +-----------------------------------------------------------+
/// ```
package struct LoadMachine: Sendable, Equatable {
  package enum Event: Sendable, Equatable {
    /// Loading begins.
    case load
    /// From 0 to 1; what falls behind is refused.
    case progress(Double)
    case loaded
    case failed(reason: String)
    /// Nobody waits for the load any more.
    case cancelled
    /// A use begins.
    case enter
    /// A use begins within another, which an unload waits for: to let it wait for the unload would be for ever.
    case enterWithin
    /// A use ends.
    case leave
    /// The model is to go as soon as nobody uses it.
    case unload
    /// Its memory is free.
    case unloaded
  }

  package private(set) var state = LoadState.notLoaded
  /// Uses that run.
  package private(set) var users = 0

  package init() {}

  /// Applies an event. One that is not possible in this state changes nothing and returns false.
  package mutating func apply(_ event: Event) -> Bool {
    switch (event, state) {
    case (.load, .notLoaded), (.load, .failed):
      state = .loading(progress: 0)
    case (.progress(let new), .loading(let old)) where new >= old && new <= 1:
      state = .loading(progress: new)
    case (.loaded, .loading):
      state = .loaded
    case (.failed(let reason), .loading):
      state = .failed(reason: reason)
    case (.cancelled, .loading):
      state = .notLoaded
    case (.enter, .loaded), (.enterWithin, .loaded):
      users += 1
    case (.enterWithin, .unloading) where users > 0:
      users += 1
    case (.leave, .loaded) where users > 0, (.leave, .unloading) where users > 0:
      users -= 1
    case (.unload, .loaded):
      state = .unloading
    case (.unloaded, .unloading) where users == 0:
      state = .notLoaded
    default:
      return false
    }
    return true
  }

  /// Loaded, and nobody uses it.
  package var isIdle: Bool { state == .loaded && users == 0 }
}
