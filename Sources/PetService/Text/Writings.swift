// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Texts that are being written, so that a server that stops can end them and say so.
package final class Writings: Sendable {
  private struct State {
    var isBrokenOff = false
    var underWay: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Runs `write` until it ends, its task is cancelled, or ``breakOff()`` comes.
  /// - Throws: what `write` throws; ``ServiceError`` where it was broken off.
  package func run<Value: Sendable>(_ write: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await write() }
    let number = add { task.cancel() }
    defer { state.withLock { $0.underWay[number] = nil } }
    let value = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
    if state.withLock(\.isBrokenOff) { throw ServiceError(engine: CancellationError()) }
    return value
  }

  /// Ends what is being written, and what begins later.
  package func breakOff() {
    let underWay = state.withLock { state in
      state.isBrokenOff = true
      return Array(state.underWay.values)
    }
    for cancel in underWay { cancel() }
  }

  private func add(_ cancel: @escaping @Sendable () -> Void) -> Int {
    let (number, isBrokenOff) = state.withLock { state in
      state.next += 1
      state.underWay[state.next] = cancel
      return (state.next, state.isBrokenOff)
    }
    if isBrokenOff { cancel() }
    return number
  }
}
