// SPDX-License-Identifier: Apache-2.0
/// A deterministic automaton over code points: what the text of a JSON string may be, before it is spelled. State 0 is
/// the start.
struct CharacterAutomaton: Sendable {
  struct State: Sendable {
    /// Ascending, disjoint.
    var edges: [RuleState.Edge] = []
    var accepts = false

    /// The code points that lead to each target.
    var setsByTarget: [(points: CodePoints, target: Int)] {
      var ranges: [Int32: [ClosedRange<UInt32>]] = [:]
      for edge in edges { ranges[edge.target, default: []].append(edge.low...edge.high) }
      return ranges.sorted { $0.key < $1.key }.map { (CodePoints($0.value), Int($0.key)) }
    }
  }

  var states: [State]

  private static let everything = CodePoints.all.ranges

  /// Texts of `least` to `most` code points.
  static func lengths(_ least: Int, _ most: Int?) -> CharacterAutomaton {
    let last = most ?? least
    return CharacterAutomaton(
      states: (0...last).map { index in
        let next = index < last ? index + 1 : most == nil ? index : nil
        let edges = next.map { next in
          everything.map { RuleState.Edge(low: $0.lowerBound, high: $0.upperBound, target: Int32(next)) }
        }
        return State(edges: edges ?? [], accepts: index >= least)
      })
  }

  /// All texts but these.
  static func allBut(_ texts: [[UInt8]]) -> CharacterAutomaton {
    // State 1 is for texts that have left all of the given ones.
    let other: [ClosedRange<UInt32>] = everything
    func otherwise(_ points: CodePoints) -> [RuleState.Edge] {
      points.ranges.map { .init(low: $0.lowerBound, high: $0.upperBound, target: 1) }
    }
    var children: [[UInt32: Int32]] = [[:], [:]]
    var accepts = [true, true]
    for text in texts {
      var state = 0
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        if let next = children[state][scalar.value] {
          state = Int(next)
        } else {
          children[state][scalar.value] = Int32(children.count)
          state = children.count
          children.append([:])
          accepts.append(true)
        }
      }
      accepts[state] = false
    }
    let states = children.indices.map { index in
      let named = children[index].sorted { $0.key < $1.key }
      let rest = CodePoints(other).subtracting(CodePoints(named.map { $0.key...$0.key }))
      let edges = named.map { RuleState.Edge(low: $0.key, high: $0.key, target: $0.value) } + otherwise(rest)
      return State(edges: edges.sorted { $0.low < $1.low }, accepts: accepts[index])
    }
    return CharacterAutomaton(states: states)
  }

  /// Texts that both accept: the product of the two.
  func intersection(
    _ other: CharacterAutomaton, limit: Int, budget: CompilationBudget
  ) throws(GrammarError) -> CharacterAutomaton {
    var numbers: [UInt64: Int32] = [0: 0]
    var pairs: [(Int, Int)] = [(0, 0)]
    var product: [State] = []
    while product.count < pairs.count {
      guard pairs.count <= limit else { throw .tooLarge(.states, limit: limit) }
      let (left, right) = pairs[product.count]
      try budget.spend(states[left].edges.count + other.states[right].edges.count + 1)
      var state = State(accepts: states[left].accepts && other.states[right].accepts)
      for (low, high, a, b) in Self.overlaps(states[left].edges, other.states[right].edges) {
        let key = UInt64(a) << 32 | UInt64(b)
        let target = numbers[key] ?? Int32(pairs.count)
        if target == pairs.count {
          numbers[key] = target
          pairs.append((Int(a), Int(b)))
        }
        state.edges.append(.init(low: low, high: high, target: target))
      }
      product.append(state)
    }
    return CharacterAutomaton(states: product)
  }

  private static func overlaps(
    _ left: [RuleState.Edge], _ right: [RuleState.Edge]
  ) -> [(low: UInt32, high: UInt32, left: Int32, right: Int32)] {
    var found: [(UInt32, UInt32, Int32, Int32)] = []
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      let (low, high) = (max(left[i].low, right[j].low), min(left[i].high, right[j].high))
      if low <= high { found.append((low, high, left[i].target, right[j].target)) }
      if left[i].high < right[j].high { i += 1 } else { j += 1 }
    }
    return found
  }
}
