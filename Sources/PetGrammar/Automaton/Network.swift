// SPDX-License-Identifier: Apache-2.0
/// A nondeterministic automaton with empty edges (Thompson 1968) for one rule. Labels are ranges of bytes, or of code
/// points where it stands for the inside of a string.
struct Network {
  struct Edge {
    enum Label {
      case empty
      case range(UInt32, UInt32)
      case call(Int32)
    }

    var label: Label
    var target: Int32
    /// The next edge out of the same state; -1 where there is none.
    var next: Int32
  }

  private(set) var edges: [Edge] = []
  /// The first edge out of each state.
  private(set) var firstEdges: [Int32] = [-1, -1]
  let limit: Int
  /// States from which a range leads to a state: sequences with the same end share it.
  private var tails: [Tail: Int32] = [:]

  private struct Tail: Hashable {
    var range: ClosedRange<UInt8>
    var target: Int32
  }

  static let start: Int32 = 0
  static let end: Int32 = 1

  init(limit: Int) { self.limit = limit }

  var count: Int { firstEdges.count }

  mutating func state() throws(GrammarError) -> Int32 {
    guard firstEdges.count < limit else { throw .tooLarge(.states, limit: limit) }
    firstEdges.append(-1)
    return Int32(firstEdges.count - 1)
  }

  mutating func connect(_ source: Int32, _ label: Edge.Label, _ target: Int32) throws(GrammarError) {
    guard edges.count / 8 < limit else { throw .tooLarge(.states, limit: limit) }
    edges.append(Edge(label: label, target: target, next: firstEdges[Int(source)]))
    firstEdges[Int(source)] = Int32(edges.count - 1)
  }

  func edges(from state: Int32) -> some Sequence<Edge> {
    sequence(state: firstEdges[Int(state)]) { index in
      guard index >= 0 else { return nil }
      let edge = edges[Int(index)]
      index = edge.next
      return edge
    }
  }

  /// One byte of each range, in a row.
  mutating func connect(
    _ source: Int32, ranges: ArraySlice<ClosedRange<UInt8>>, _ target: Int32
  ) throws(GrammarError) {
    guard let first = ranges.first else { return try connect(source, .empty, target) }
    // From the end and in a loop: a literal may be as long as the grammar.
    var next = target
    for range in ranges.dropFirst().reversed() { next = try tail(range, next) }
    try connect(source, .range(UInt32(first.lowerBound), UInt32(first.upperBound)), next)
  }

  private mutating func tail(_ range: ClosedRange<UInt8>, _ target: Int32) throws(GrammarError) -> Int32 {
    let key = Tail(range: range, target: target)
    if let known = tails[key] { return known }
    let state = try state()
    tails[key] = state
    try connect(state, .range(UInt32(range.lowerBound), UInt32(range.upperBound)), target)
    return state
  }
}
