// SPDX-License-Identifier: Apache-2.0
/// Makes states with equal futures one, where the futures have no loops (Daciuk et al. 2000,
/// https://aclanthology.org/J00-1002): the ends of long enumerations become one chain.
enum SuffixSharing {
  private struct Signature: Hashable {
    var edges: [RuleState.Edge]
    var calls: [RuleState.Call]
    var accepts: Bool
  }

  /// The same automaton with fewer states; state 0 stays the start.
  static func merged(_ states: [RuleState]) -> [RuleState] {
    var canonical = [Int32](repeating: -1, count: states.count)
    var isOpen = [Bool](repeating: false, count: states.count)
    var known: [Signature: Int32] = [:]
    // Depth first, without recursion: a literal of a million bytes is a chain of a million states.
    var stack: [(state: Int, next: Int)] = [(0, 0)]
    isOpen[0] = true
    while let (state, next) = stack.last {
      if let target = Self.target(states[state], next) {
        stack[stack.count - 1].next += 1
        if !isOpen[target] {
          isOpen[target] = true
          stack.append((target, 0))
        }
        continue
      }
      stack.removeLast()
      // A target that is not done yet is in a loop with this state, and stays itself.
      func resolved(_ target: Int32) -> Int32 { canonical[Int(target)] >= 0 ? canonical[Int(target)] : target }
      let signature = Signature(
        edges: states[state].edges.map { .init(low: $0.low, high: $0.high, target: resolved($0.target)) },
        calls: states[state].calls.map { .init(rule: $0.rule, target: resolved($0.target)) },
        accepts: states[state].accepts)
      if state != 0, let same = known[signature] {
        canonical[state] = same
      } else {
        canonical[state] = Int32(state)
        if state != 0 { known[signature] = Int32(state) }
      }
    }
    return renumbered(states, canonical)
  }

  private static func target(_ state: RuleState, _ index: Int) -> Int? {
    if index < state.edges.count { return Int(state.edges[index].target) }
    let call = index - state.edges.count
    return call < state.calls.count ? Int(state.calls[call].target) : nil
  }

  private static func renumbered(_ states: [RuleState], _ canonical: [Int32]) -> [RuleState] {
    var numbers = [Int32](repeating: -1, count: states.count)
    var kept: [Int] = []
    for state in states.indices where canonical[state] == Int32(state) {
      numbers[state] = Int32(kept.count)
      kept.append(state)
    }
    func number(_ target: Int32) -> Int32 { numbers[Int(canonical[Int(target)])] }
    return kept.map { index in
      var state = states[index]
      for edge in state.edges.indices { state.edges[edge].target = number(state.edges[edge].target) }
      for call in state.calls.indices { state.calls[call].target = number(state.calls[call].target) }
      return state
    }
  }
}
