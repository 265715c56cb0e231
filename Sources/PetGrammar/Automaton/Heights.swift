// SPDX-License-Identifier: Apache-2.0
/// How many recursive calls must at least nest on the way from a state to the end of its rule.
///
/// A matcher enters no state whose height does not fit under the bound of depth, so it never gets stuck at the bound.
/// Found as shortest paths are, with the greater of two in the place of a sum (Knuth 1977, "A generalization of
/// Dijkstra's algorithm"). O(states + edges).
struct Heights {
  private var heights: [Int32]
  /// By node: who leads to it, by which edge of a rule or call.
  private var arrivals: [[Int32]]
  private var returns: [[(source: Int32, rule: Int32, weight: Int32)]]
  /// By rule: who calls it.
  private var callers: [[(source: Int32, target: Int32, weight: Int32)]]
  private var rulesAt: [Int32: [Int32]] = [:]
  private var starts: [Int32]
  private var queue: [Int32] = []
  private var later: [Int32] = []

  /// One height per state, then two per counter: before and after its least number.
  static func of(
    rules: [Automaton.Rule], edges: [Automaton.Edge], edgeStarts: [Int32], calls: [Automaton.Call],
    callStarts: [Int32], acceptance: [Bool], counters: [Automaton.Counter]
  ) -> [Int32] {
    let states = acceptance.count
    var search = Heights(nodes: states + 2 * counters.count, rules: rules)
    for (index, counter) in counters.enumerated() {
      let before = Int32(states + 2 * index)
      search.starts[Int(counter.rule)] = counter.least > 0 ? before : before + 1
      search.addCall(from: before, to: before + 1, rule: counter.body, weight: counter.isRecursive ? 1 : 0)
    }
    for (rule, start) in search.starts.enumerated() { search.rulesAt[start, default: []].append(Int32(rule)) }
    for state in 0..<states {
      for edge in edgeStarts[state]..<edgeStarts[state + 1] {
        search.arrivals[Int(edges[Int(edge)].target)].append(Int32(state))
      }
      for index in callStarts[state]..<callStarts[state + 1] {
        let call = calls[Int(index)]
        let weight: Int32 = call.isRecursive && !call.isLast ? 1 : 0
        search.addCall(from: Int32(state), to: call.target, rule: call.rule, weight: weight)
      }
    }
    for state in 0..<states where acceptance[state] { search.reach(Int32(state), 0) }
    for index in counters.indices { search.reach(Int32(states + 2 * index + 1), 0) }
    return search.run()
  }

  private init(nodes: Int, rules: [Automaton.Rule]) {
    heights = [Int32](repeating: Automaton.unreachable, count: nodes)
    arrivals = Array(repeating: [], count: nodes)
    returns = Array(repeating: [], count: nodes)
    callers = Array(repeating: [], count: rules.count)
    starts = rules.map(\.start)
  }

  private mutating func addCall(from source: Int32, to target: Int32, rule: Int32, weight: Int32) {
    returns[Int(target)].append((source, rule, weight))
    callers[Int(rule)].append((source, target, weight))
  }

  private mutating func reach(_ node: Int32, _ height: Int32) {
    guard heights[Int(node)] == Automaton.unreachable else { return }
    heights[Int(node)] = height
    queue.append(node)
  }

  private mutating func run() -> [Int32] {
    var level: Int32 = 0
    while true {
      while let node = queue.popLast() { settle(node, level) }
      guard !later.isEmpty else { return heights }
      level += 1
      let next = later
      later = []
      for node in next { reach(node, level) }
    }
  }

  /// All that a node's height, which is `level`, decides. Heights that are known are no greater.
  private mutating func settle(_ node: Int32, _ level: Int32) {
    for source in arrivals[Int(node)] { reach(source, level) }
    for (source, rule, weight) in returns[Int(node)] {
      let height = heights[Int(starts[Int(rule)])]
      if height != Automaton.unreachable { offer(source, height + weight, level) }
    }
    for rule in rulesAt[node] ?? [] {
      for (source, target, weight) in callers[Int(rule)] where heights[Int(target)] != Automaton.unreachable {
        offer(source, level + weight, level)
      }
    }
  }

  private mutating func offer(_ node: Int32, _ height: Int32, _ level: Int32) {
    if height <= level { reach(node, level) } else { later.append(node) }
  }
}
