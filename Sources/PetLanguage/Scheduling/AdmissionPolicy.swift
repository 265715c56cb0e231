// SPDX-License-Identifier: Apache-2.0
/// Who runs and who waits.
package struct AdmissionPolicy: Sendable, Equatable {
  /// Requests that run at once.
  var running: Int
  /// Requests that wait beyond them.
  var waiting: Int

  package init(running: Int, waiting: Int) {
    self.running = running
    self.waiting = waiting
  }

  package enum Decision: Sendable, Equatable { case run, wait, refuse }

  /// What becomes of a request that comes.
  package func decide(running now: Int, waiting queue: Int) -> Decision {
    if now < running, queue == 0 { return .run }
    return queue < waiting ? .wait : .refuse
  }

  /// Which of those that wait is next: an interactive one, then who came first.
  package static func next(_ waiting: [(priority: RequestPriority, arrival: UInt64)]) -> Int? {
    waiting.indices.max {
      let (a, b) = (waiting[$0], waiting[$1])
      return a.priority == b.priority ? a.arrival > b.arrival : a.priority < b.priority
    }
  }
}
