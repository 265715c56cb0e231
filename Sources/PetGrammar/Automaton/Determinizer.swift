// SPDX-License-Identifier: Apache-2.0
/// One state of a deterministic automaton for one rule. Calls are labels like any other: only what is called, and
/// calls beside bytes, leave a choice for run time.
struct RuleState: Sendable {
  struct Edge: Hashable, Sendable {
    var low: UInt32
    var high: UInt32
    var target: Int32
  }

  struct Call: Hashable, Sendable {
    var rule: Int32
    var target: Int32
  }

  /// Ascending, disjoint.
  var edges: [Edge] = []
  var calls: [Call] = []
  var accepts = false
}

/// The subset construction (Rabin and Scott 1959). State 0 is the start.
struct Determinizer {
  private let network: Network
  private var indices: [[Int32]: Int32] = [:]
  private var subsets: [[Int32]] = []
  /// When a network state was last seen, for closures over empty edges.
  private var marks: [Int]
  private var mark = 0

  /// - Throws: `tooLarge` where the rule needs more than `limit` states, or the budget is used up: some rules of n states
  ///   need 2^n.
  static func states(
    of network: Network, limit: Int, budget: CompilationBudget
  ) throws(GrammarError) -> [RuleState] {
    try budget.spend(network.count)
    var determinizer = Determinizer(network)
    return try determinizer.run(limit, budget)
  }

  private init(_ network: Network) {
    self.network = network
    marks = [Int](repeating: 0, count: network.count)
  }

  private mutating func run(_ limit: Int, _ budget: CompilationBudget) throws(GrammarError) -> [RuleState] {
    var states: [RuleState] = []
    _ = try index(of: [Network.start], budget)
    while states.count < subsets.count {
      let subset = subsets[states.count]
      try budget.spend(subset.count + 1)
      guard subsets.count <= limit else { throw .tooLarge(.states, limit: limit) }
      states.append(try expand(subset, budget))
    }
    return states
  }

  /// The number of the subset that `seeds` reach over empty edges.
  private mutating func index(of seeds: [Int32], _ budget: CompilationBudget) throws(GrammarError) -> Int32 {
    mark += 1
    var visited = 0
    var stack = seeds
    var members: [Int32] = []
    while let state = stack.popLast() {
      visited += 1
      guard marks[Int(state)] != mark else { continue }
      marks[Int(state)] = mark
      var matters = state == Network.end
      for edge in network.edges(from: state) {
        if case .empty = edge.label { stack.append(edge.target) } else { matters = true }
      }
      if matters { members.append(state) }
    }
    try budget.spend(visited / 16)
    members.sort()
    if let known = indices[members] { return known }
    let index = Int32(subsets.count)
    indices[members] = index
    subsets.append(members)
    return index
  }

  private mutating func expand(_ subset: [Int32], _ budget: CompilationBudget) throws(GrammarError) -> RuleState {
    var state = RuleState()
    var ranges: [(low: UInt32, high: UInt32, target: Int32)] = []
    var calls: [Int32: [Int32]] = [:]
    for member in subset {
      if member == Network.end { state.accepts = true }
      for edge in network.edges(from: member) {
        switch edge.label {
        case .empty: break
        case .range(let low, let high): ranges.append((low, high, edge.target))
        case .call(let rule): calls[rule, default: []].append(edge.target)
        }
      }
    }
    for (rule, targets) in calls.sorted(by: { $0.key < $1.key }) {
      state.calls.append(.init(rule: rule, target: try index(of: targets, budget)))
    }
    state.edges = try split(ranges, budget)
    return state
  }

  /// Disjoint pieces of overlapping ranges, by a sweep from low to high.
  private mutating func split(
    _ ranges: [(low: UInt32, high: UInt32, target: Int32)], _ budget: CompilationBudget
  ) throws(GrammarError) -> [RuleState.Edge] {
    let byLow = ranges.sorted { $0.low < $1.low }
    var cuts = ranges.map(\.low) + ranges.map { $0.high + 1 }
    cuts.sort()
    var edges: [RuleState.Edge] = []
    var active: [(high: UInt32, target: Int32)] = []
    var next = 0
    for (position, low) in cuts.enumerated() where position + 1 < cuts.count && cuts[position + 1] != low {
      active.removeAll { $0.high < low }
      while next < byLow.count, byLow[next].low <= low {
        active.append((byLow[next].high, byLow[next].target))
        next += 1
      }
      guard !active.isEmpty else { continue }
      try budget.spend(active.count / 64)
      let target = try index(of: active.map(\.target), budget)
      let high = cuts[position + 1] - 1
      if let last = edges.last, last.high + 1 == low, last.target == target {
        edges[edges.count - 1].high = high
      } else {
        edges.append(.init(low: low, high: high, target: target))
      }
    }
    return edges
  }
}
