// SPDX-License-Identifier: Apache-2.0
/// What the builder must know of all rules before it builds one.
struct RuleTraits {
  /// Rules that match the empty text.
  let isNullable: [Bool]
  /// Small rules without loops: repeated where they are called, so that masks of the caller's positions see through them.
  let isInlined: [Bool]
  /// About how many states a call takes, with the inlined rules; nil for rules with loops.
  let sizes: [Int?]

  static let largestInlined = 96

  /// - Throws: `tooLarge` where the budget is used up.
  init(_ set: RuleSet, _ budget: CompilationBudget) throws(GrammarError) {
    let callees = set.rules.map { rule in
      var found: [Int] = []
      rule.body.collectRules(into: &found)
      return found
    }
    isNullable = try Self.nullable(set, callees, budget)
    let components = Components.of(count: set.rules.count) { callees[$0] }
    var members = [Int](repeating: 0, count: set.rules.count)
    for component in components { members[component] += 1 }
    var sizes = [Int?](repeating: nil, count: set.rules.count)
    var isSmall = [Bool](repeating: false, count: set.rules.count)
    // Callees have the lower components: their sizes are known when their callers' are asked for.
    let order = components.indices.sorted { components[$0] < components[$1] }
    for rule in order where members[components[rule]] == 1 && !callees[rule].contains(rule) {
      let size = set.rules[rule].body.finiteSize(sizes, bound: Self.largestInlined)
      // A large rule is called, which takes one state.
      if let size { sizes[rule] = size + 1 < Self.largestInlined ? size + 1 : 1 }
      isSmall[rule] = size.map { $0 + 1 < Self.largestInlined } ?? false
    }
    isSmall[set.root] = false
    self.sizes = sizes
    isInlined = isSmall
  }

  private static func nullable(
    _ set: RuleSet, _ callees: [[Int]], _ budget: CompilationBudget
  ) throws(GrammarError) -> [Bool] {
    let sizes = set.rules.map { $0.body.partCount }
    var callers = [[Int]](repeating: [], count: set.rules.count)
    for (rule, called) in callees.enumerated() {
      for callee in Set(called) { callers[callee].append(rule) }
    }
    var isNullable = [Bool](repeating: false, count: set.rules.count)
    var pending = Array(set.rules.indices)
    while let rule = pending.popLast() {
      guard !isNullable[rule] else { continue }
      // A body is read again for each rule that it names.
      try budget.spend(sizes[rule] / 16)
      guard set.rules[rule].body.isNullable(isNullable) else { continue }
      isNullable[rule] = true
      pending += callers[rule]
    }
    return isNullable
  }
}

extension Expression {
  /// About how many states this takes in the rule that holds it, at most `bound`.
  func size(_ traits: RuleTraits, bound: Int) -> Int {
    switch self {
    case .rule(let rule): traits.isInlined[rule] ? traits.sizes[rule] ?? 1 : 1
    case .literal(let bytes): min(bytes.count, bound)
    case .characters(let set): min(set.utf8.reduce(0) { $0 + $1.count }, bound)
    case .spelled(let automaton): min(automaton.states.count * 16, bound)
    case .repetition(let part, let least, let most):
      Self.product(part.size(traits, bound: bound), max(most ?? least, 1), bound: bound)
    case .sequence, .choice, .members:
      parts.reduce(1) { min($0 + $1.size(traits, bound: bound), bound) }
    }
  }

  private static func product(_ size: Int, _ copies: Int, bound: Int) -> Int {
    let (product, overflow) = size.multipliedReportingOverflow(by: copies)
    return overflow ? bound : min(product, bound)
  }
}
