// SPDX-License-Identifier: Apache-2.0
/// What the next step computes, of many requests that share the weights (continuous batching, Orca, OSDI 2022, with prompts cut
/// into pieces as in Sarathi-Serve, arXiv:2403.02310).
package struct StepPolicy: Sendable, Equatable {
  /// One that runs.
  package struct Request: Sendable, Equatable {
    var priority: RequestPriority
    /// Orders equals: who came first.
    var arrival: UInt64
    /// Tokens whose keys and values are still to be computed; 1 while a reply is written.
    package var missing: Int
    var isWriting: Bool

    package init(priority: RequestPriority = .interactive, arrival: UInt64, missing: Int = 1, isWriting: Bool) {
      self.priority = priority
      self.arrival = arrival
      self.missing = missing
      self.isWriting = isWriting
    }
  }

  /// Tokens of a step.
  package var batchSize: Int

  package init(batchSize: Int) { self.batchSize = batchSize }

  /// Part by which a step may take longer for the sake of prompts, while somebody reads a reply along.
  static let slowdown = 0.4
  /// Rows of a product that take as long as reading the weights does (measured with Q4_1 and Q8_0 on AVX2: 3.5 to 4).
  static let rowsOfReading = 4

  /// Tokens that each request gets, in their order. Replies that are written get their token first; prompts have what is left,
  /// interactive ones before others, then who came first. With interactive replies under way prompts get little at a
  /// time, so that nobody who reads along waits much longer for the next word. O(n log n).
  package func tokens(for requests: [Request]) -> [Int] {
    var shares = requests.map { _ in 0 }
    var room = batchSize
    func order(_ isWriting: Bool) -> [Int] {
      requests.indices.filter { requests[$0].isWriting == isWriting }.sorted {
        let (a, b) = (requests[$0], requests[$1])
        return a.priority == b.priority ? a.arrival < b.arrival : a.priority > b.priority
      }
    }
    let writing = order(true)
    for index in writing.prefix(room) { shares[index] = 1 }
    room -= min(room, writing.count)
    if writing.count == 1, let alone = writing.first {
      // What a grammar leaves no choice about holds up nobody else.
      let more = min(room, requests[alone].missing - shares[alone])
      shares[alone] += more
      room -= more
    }
    if writing.contains(where: { requests[$0].priority == .interactive }) {
      room = min(room, max(1, Int(Double(Self.rowsOfReading + writing.count) * Self.slowdown)))
    }
    for index in writing + order(false) where room > 0 {
      // Of a reply, what a grammar leaves no choice about.
      let more = min(room, requests[index].missing - shares[index])
      shares[index] += more
      room -= more
    }
    return shares
  }
}
