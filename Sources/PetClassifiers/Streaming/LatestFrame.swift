// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Room for one frame between who makes frames and who looks at them. A frame that comes before the last one was taken
/// replaces it: what is old by the time somebody has time is not worth looking at.
package final class LatestFrame<Frame: Sendable>: Sendable {
  private struct State {
    var frame: Frame?
    var waiting: [CheckedContinuation<Frame?, Never>] = []
    var isFinished = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether somebody waits for a frame.
  package var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Returns at once.
  /// - Returns: whether a frame was lost: the one that was there, or after ``finish()`` this one.
  package func put(_ frame: Frame) -> Bool {
    let (waiting, isLost) = state.withLock { state -> (CheckedContinuation<Frame?, Never>?, Bool) in
      guard !state.isFinished else { return (nil, true) }
      guard state.waiting.isEmpty else { return (state.waiting.removeFirst(), false) }
      defer { state.frame = frame }
      return (nil, state.frame != nil)
    }
    waiting?.resume(returning: frame)
    return isLost
  }

  /// The newest frame, as soon as there is one; nil after ``finish()``, which cancelling does as well.
  package func take() async -> Frame? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Frame?? in
          defer { state.frame = nil }
          if let frame = state.frame { return .some(frame) }
          guard !state.isFinished else { return .some(nil) }
          state.waiting.append(continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }

  /// No more frames come; one that is there is still given.
  package func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }
}
