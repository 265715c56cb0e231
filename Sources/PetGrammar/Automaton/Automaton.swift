// SPDX-License-Identifier: Apache-2.0
/// A grammar as a pushdown automaton over bytes: a deterministic automaton per rule, and calls between them.
///
/// Positions 0..<`states` are states of rules. Positions above count: a rule that repeats another owns one position
/// per number of repetitions done, which takes no memory.
final class Automaton: Sendable {
  struct Rule: Sendable {
    var name: String
    var start: Int32
    /// Whether the rule is one of the grammar's own: masks of positions within are shared by all that call it.
    var isUnit: Bool
  }

  struct Edge: Sendable {
    var low: UInt8
    var high: UInt8
    var target: Int32
  }

  struct Call: Sendable {
    var rule: Int32
    /// Where the caller goes on.
    var target: Int32
    /// Whether the callee can call the caller.
    var isRecursive: Bool
    /// Whether nothing follows in the caller: then the callee returns to the caller's caller.
    var isLast: Bool
  }

  struct Counter: Sendable {
    var rule: Int32
    var body: Int32
    /// The position at which nothing was repeated.
    var base: Int32
    var least: Int32
    /// Nil: without bound; then the position `least` stands for all numbers from it on.
    var most: Int32?
    var isRecursive: Bool

    var lastIndex: Int32 { most ?? least }
    /// The index after one more repetition.
    func next(_ index: Int32) -> Int32 { min(index + 1, lastIndex) }
    func mayRepeat(_ index: Int32) -> Bool { most.map { index < $0 } ?? true }
  }

  let rules: [Rule]
  let root: Int32
  /// States of rules; positions from here on count.
  let states: Int
  let edges: [Edge]
  /// Where the edges and calls of each state begin, and one end.
  let edgeStarts: [Int32]
  let calls: [Call]
  let callStarts: [Int32]
  let acceptance: [Bool]
  let ruleOfState: [Int32]
  let counters: [Counter]
  /// How many recursive calls must at least nest to get from a state, or a counter before and after its least number,
  /// to its rule's end. Higher than any bound where no text leads there.
  let heights: [Int32]
  /// Rules in an order in which each is before those that it calls before reading a byte.
  let ranks: [Int32]
  let rulesByRank: [Int32]
  /// Bytes that no edge tells apart have one class; a class is a range of bytes.
  let classes: [UInt8]
  let classStarts: [UInt8]
  let limits: GrammarLimits

  static let unreachable: Int32 = 1 << 24

  init(
    rules: [Rule], root: Int32, edges: [Edge], edgeStarts: [Int32], calls: [Call], callStarts: [Int32],
    acceptance: [Bool], ruleOfState: [Int32], counters: [Counter], heights: [Int32], ranks: [Int32],
    limits: GrammarLimits
  ) {
    self.rules = rules
    self.root = root
    states = acceptance.count
    self.edges = edges
    self.edgeStarts = edgeStarts
    self.calls = calls
    self.callStarts = callStarts
    self.acceptance = acceptance
    self.ruleOfState = ruleOfState
    self.counters = counters
    self.heights = heights
    self.ranks = ranks
    var byRank = [Int32](repeating: 0, count: ranks.count)
    for (rule, rank) in ranks.enumerated() { byRank[Int(rank)] = Int32(rule) }
    rulesByRank = byRank
    var isStart = [Bool](repeating: false, count: 257)
    isStart[0] = true
    for edge in edges {
      isStart[Int(edge.low)] = true
      isStart[Int(edge.high) + 1] = true
    }
    var (starts, classes) = ([UInt8](), [UInt8]())
    for byte in 0..<256 {
      if isStart[byte] { starts.append(UInt8(byte)) }
      classes.append(UInt8(starts.count - 1))
    }
    self.classes = classes
    classStarts = starts
    self.limits = limits
  }

  /// How many bytes are in a class.
  func size(ofClass index: Int) -> Int {
    (index + 1 < classStarts.count ? Int(classStarts[index + 1]) : 256) - Int(classStarts[index])
  }

  /// The counter that a position above the states belongs to. O(log counters).
  func counter(of position: Int32) -> Int {
    var (low, high) = (0, counters.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if counters[middle].base <= position { low = middle } else { high = middle }
    }
    return low
  }

  func rule(of position: Int32) -> Int32 {
    Int(position) < states ? ruleOfState[Int(position)] : counters[counter(of: position)].rule
  }

  func accepts(_ position: Int32) -> Bool {
    guard Int(position) >= states else { return acceptance[Int(position)] }
    let counter = counters[counter(of: position)]
    return position - counter.base >= counter.least
  }

  func height(_ position: Int32) -> Int32 {
    guard Int(position) >= states else { return heights[Int(position)] }
    let index = counter(of: position)
    let isDone = position - counters[index].base >= counters[index].least
    return heights[states + 2 * index + (isDone ? 1 : 0)]
  }
}
