// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Counts who is in, and lets nobody in once it is closed.
final class ServiceDoor: Sendable {
  private struct State {
    var isOpen = true
    var lastID: UInt64 = 0
    /// How each of those who are in is told to go.
    var cancels: [UInt64: @Sendable () -> Void] = [:]
    var onEmpty: AsyncStream<Never>.Continuation?
  }

  private let state = Mutex(State())

  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Begins a task; nil: it is closed. The task calls `leave` when it ends.
  func admit<Value>(
    _ begin: (_ leave: @escaping @Sendable () -> Void) -> Task<Value, any Error>
  ) -> Task<Value, any Error>? {
    state.withLock { state in
      guard state.isOpen else { return nil }
      state.lastID += 1
      let id = state.lastID
      let task = begin { [weak self] in self?.leave(id) }
      state.cancels[id] = { task.cancel() }
      return task
    }
  }

  /// Lets nobody in any more, waits until all have left, at most for `limit`, and cancels who has not. Returns how many those are;
  /// they may still be in.
  func close(within limit: Duration, _ clock: any Clock<Duration>) async -> Int {
    let (empty, continuation) = AsyncStream<Never>.makeStream()
    state.withLock { state in
      state.isOpen = false
      state.onEmpty = continuation
      if state.cancels.isEmpty { continuation.finish() }
    }
    await withDiscardingTaskGroup { group in
      group.addTask {
        try? await clock.sleep(for: limit)
        continuation.finish()
      }
      for await _ in empty {}
      group.cancelAll()
    }
    let left = state.withLock { $0.cancels }
    for cancel in left.values { cancel() }
    return left.count
  }

  private func leave(_ id: UInt64) {
    state.withLock { state in
      state.cancels[id] = nil
      if !state.isOpen, state.cancels.isEmpty { state.onEmpty?.finish() }
    }
  }
}
