// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Sends values to any number of observers, each with an unbounded queue of its own: a slow observer delays no other. What an
/// observer never reads is kept until the observer is released.
package final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    var isFinished = false
    var nextID: UInt64 = 0
    var observers: [UInt64: AsyncStream<Element>.Continuation] = [:]
  }

  private let state: Mutex<State>

  package init(latest: Element? = nil) {
    state = Mutex(State(latest: latest))
  }

  deinit { finish() }

  /// Begins with the latest value, if any. Ends when the sender is released.
  package func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .unbounded)
    let id: UInt64? = state.withLock { state in
      if let latest = state.latest { continuation.yield(latest) }
      guard !state.isFinished else { return nil }
      state.nextID += 1
      state.observers[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  /// The order is that of the calls.
  package func send(_ element: Element) {
    state.withLock { state in
      guard !state.isFinished else { return }
      if state.latest != nil { state.latest = element }
      for continuation in state.observers.values { continuation.yield(element) }
    }
  }

  package func finish() {
    let observers = state.withLock { state in
      state.isFinished = true
      defer { state.observers = [:] }
      return state.observers.values.map { $0 }
    }
    for continuation in observers { continuation.finish() }
  }

  private func remove(_ id: UInt64) {
    // The continuation goes after the lock: its end may call back.
    _ = state.withLock { $0.observers.removeValue(forKey: id) }
  }
}
