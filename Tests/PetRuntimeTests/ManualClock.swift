// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A clock that stands still until it is told to go on.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let latch: Latch
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }
  /// How many sleep now and are not due.
  var sleeping: Int { state.withLock { state in state.sleepers.values.count { $0.deadline > state.now } } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let latch = Latch()
    let id: Int? = state.withLock { state in
      guard deadline > state.now else { return nil }
      state.next += 1
      state.sleepers[state.next] = Sleeper(deadline: deadline, latch: latch)
      return state.next
    }
    guard let id else { return }
    defer { _ = state.withLock { $0.sleepers.removeValue(forKey: id) } }
    try await latch.wait()
  }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      return state.sleepers.values.filter { $0.deadline <= state.now }.map(\.latch)
    }
    for latch in due { latch.open() }
  }
}
