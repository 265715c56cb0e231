// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A mutex for whole turns of a conversation, who came first goes first: actors let calls in at every await.
package final class TurnQueue: Sendable {
  private struct Waiter {
    /// Nil for one who waits whatever happens.
    let number: UInt64?
    /// Told whether its turn has come; else it was cancelled.
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var isTaken = false
    var arrivals: UInt64 = 0
    var waiting: [Waiter] = []
  }

  private let state = Mutex(State())

  package init() {}

  package func begin() async {
    _ = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let isFree = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(Waiter(number: nil, continuation: continuation))
        return false
      }
      if isFree { continuation.resume(returning: true) }
    }
  }

  /// - Throws: `CancellationError` where the task is cancelled before its turn has come.
  package func beginUnlessCancelled() async throws(CancellationError) {
    let number = state.withLock { state in
      state.arrivals += 1
      return state.arrivals
    }
    let hasBegun = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let hasBegun: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          guard state.isTaken else {
            state.isTaken = true
            return true
          }
          state.waiting.append(Waiter(number: number, continuation: continuation))
          return nil
        }
        if let hasBegun { continuation.resume(returning: hasBegun) }
      }
    } onCancel: {
      let left: Waiter? = state.withLock { state in
        guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return state.waiting.remove(at: place)
      }
      left?.continuation.resume(returning: false)
    }
    guard hasBegun else { throw CancellationError() }
  }

  package func end() {
    let next: Waiter? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.continuation.resume(returning: true)
  }
}
