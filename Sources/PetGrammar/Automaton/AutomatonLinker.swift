// SPDX-License-Identifier: Apache-2.0
/// Puts the automata of rules into one and works out what matching needs: which calls recur, the order of rules, heights.
struct AutomatonLinker {
  private var rules: [Automaton.Rule] = []
  private var edges: [Automaton.Edge] = []
  private var edgeStarts: [Int32] = [0]
  private var calls: [Automaton.Call] = []
  private var callStarts: [Int32] = [0]
  private var acceptance: [Bool] = []
  private var ruleOfState: [Int32] = []
  private var counters: [Automaton.Counter] = []

  /// The first of `drafts` is the root.
  /// - Throws: `leftRecursion`; `tooLarge` where all counts together are over 2^30.
  static func link(_ drafts: [AutomatonBuilder.Rule], limits: GrammarLimits) throws(GrammarError) -> Automaton {
    let ranks = try ranks(drafts)
    var linker = AutomatonLinker()
    linker.addStates(drafts)
    try linker.addCounters(drafts, limits)
    linker.markRecursion()
    let heights = Heights.of(
      rules: linker.rules, edges: linker.edges, edgeStarts: linker.edgeStarts, calls: linker.calls,
      callStarts: linker.callStarts, acceptance: linker.acceptance, counters: linker.counters)
    return Automaton(
      rules: linker.rules, root: 0, edges: linker.edges, edgeStarts: linker.edgeStarts, calls: linker.calls,
      callStarts: linker.callStarts, acceptance: linker.acceptance, ruleOfState: linker.ruleOfState,
      counters: linker.counters, heights: heights, ranks: ranks, limits: limits)
  }

  /// Callers before those that they call before reading a byte.
  private static func ranks(_ drafts: [AutomatonBuilder.Rule]) throws(GrammarError) -> [Int32] {
    let first = drafts.map { rule -> [Int] in
      switch rule.draft {
      case .states(let states): states.first?.calls.map { Int($0.rule) } ?? []
      case .counter(let body, _, _): [Int(body)]
      }
    }
    let components = Components.of(count: drafts.count) { first[$0] }
    var members = [Int](repeating: 0, count: drafts.count)
    for component in components { members[component] += 1 }
    for (rule, component) in components.enumerated() where members[component] > 1 || first[rule].contains(rule) {
      let named = components.indices.first { components[$0] == component && drafts[$0].isUnit }
      throw .leftRecursion(rule: drafts[named ?? rule].name)
    }
    return components.map { Int32(drafts.count - 1 - $0) }
  }

  private mutating func addStates(_ drafts: [AutomatonBuilder.Rule]) {
    for (index, rule) in drafts.enumerated() {
      let base = Int32(acceptance.count)
      rules.append(.init(name: rule.name, start: base, isUnit: rule.isUnit))
      guard case .states(let states) = rule.draft else { continue }
      for state in states {
        edges += state.edges.map {
          .init(
            low: UInt8(truncatingIfNeeded: $0.low), high: UInt8(truncatingIfNeeded: $0.high), target: base + $0.target)
        }
        calls += state.calls.map { .init(rule: $0.rule, target: base + $0.target, isRecursive: false, isLast: false) }
        edgeStarts.append(Int32(edges.count))
        callStarts.append(Int32(calls.count))
        acceptance.append(state.accepts)
        ruleOfState.append(Int32(index))
      }
    }
  }

  private mutating func addCounters(
    _ drafts: [AutomatonBuilder.Rule], _ limits: GrammarLimits
  ) throws(GrammarError) {
    var base = Int32(acceptance.count)
    for (index, rule) in drafts.enumerated() {
      guard case .counter(let body, let least, let most) = rule.draft else { continue }
      let counter = Automaton.Counter(
        rule: Int32(index), body: body, base: base, least: Int32(least), most: most.map(Int32.init), isRecursive: false)
      rules[index].start = base
      counters.append(counter)
      base += counter.lastIndex + 1
      // Positions are numbers of 31 bits.
      guard base < 1 << 30 else { throw .tooLarge(.repetitions, limit: limits.repetitions) }
    }
  }

  private mutating func markRecursion() {
    var callees = [[Int]](repeating: [], count: rules.count)
    for state in acceptance.indices {
      for call in callStarts[state]..<callStarts[state + 1] {
        callees[Int(ruleOfState[state])].append(Int(calls[Int(call)].rule))
      }
    }
    for counter in counters { callees[Int(counter.rule)].append(Int(counter.body)) }
    let components = Components.of(count: rules.count) { callees[$0] }
    for state in acceptance.indices {
      for call in Int(callStarts[state])..<Int(callStarts[state + 1]) {
        // Caller and callee in one component: a rule alone in its component calls itself.
        calls[call].isRecursive = components[Int(ruleOfState[state])] == components[Int(calls[call].rule)]
        let target = Int(calls[call].target)
        calls[call].isLast =
          acceptance[target] && edgeStarts[target] == edgeStarts[target + 1]
          && callStarts[target] == callStarts[target + 1]
      }
    }
    for index in counters.indices {
      counters[index].isRecursive = components[Int(counters[index].rule)] == components[Int(counters[index].body)]
    }
  }
}
