// SPDX-License-Identifier: Apache-2.0
/// Builds the automata of all rules that the root leads to.
final class AutomatonBuilder: NetworkContext {
  enum Draft {
    case states([RuleState])
    case counter(body: Int32, least: Int, most: Int?)
  }

  struct Rule {
    var name: String
    var isUnit: Bool
    var draft: Draft
  }

  /// Repetitions that would take more states than this, unrolled, are counted.
  static let largestUnrolled = 64

  private let set: RuleSet
  private let traits: RuleTraits
  private let limits: GrammarLimits
  private let budget: CompilationBudget
  private(set) var rules: [Rule] = []
  private var numbers: [Int32]
  private var pending: [(rule: Int, body: Expression)] = []
  private var states = 0

  static func build(
    _ set: RuleSet, limits: GrammarLimits, budget: CompilationBudget
  ) throws(GrammarError) -> Automaton {
    let builder = try AutomatonBuilder(set, limits, budget)
    try builder.run()
    let automaton = try AutomatonLinker.link(builder.rules, limits: limits)
    guard automaton.height(automaton.rules[Int(automaton.root)].start) <= Int32(limits.depth) else {
      throw .emptyLanguage
    }
    var tables = ParseTables(automaton, maskBytes: 0)
    guard tables.startState() != ParseTables.overflow else { throw .tooLarge(.stacks, limit: limits.stacks) }
    return automaton
  }

  private init(_ set: RuleSet, _ limits: GrammarLimits, _ budget: CompilationBudget) throws(GrammarError) {
    self.budget = budget
    self.set = set
    self.limits = limits
    traits = try RuleTraits(set, budget)
    numbers = [Int32](repeating: -1, count: set.rules.count)
  }

  private func run() throws(GrammarError) {
    _ = try number(of: set.root)
    while let (rule, body) = pending.popLast() {
      let network = try NetworkBuilder.build(body, context: self, limit: limits.states)
      let determined = try Determinizer.states(of: network, limit: limits.states, budget: budget)
      let merged = SuffixSharing.merged(determined)
      states += merged.count
      guard states <= limits.states else { throw .tooLarge(.states, limit: limits.states) }
      rules[rule].draft = .states(merged)
    }
  }

  private func add(_ rule: Rule) throws(GrammarError) -> Int32 {
    guard rules.count < limits.rules else { throw .tooLarge(.rules, limit: limits.rules) }
    rules.append(rule)
    return Int32(rules.count - 1)
  }

  private func number(of rule: Int) throws(GrammarError) -> Int32 {
    if numbers[rule] >= 0 { return numbers[rule] }
    numbers[rule] = try add(Rule(name: set.rules[rule].name, isUnit: true, draft: .states([])))
    pending.append((Int(numbers[rule]), set.rules[rule].body))
    return numbers[rule]
  }

  func inlined(_ rule: Int) -> Expression? { traits.isInlined[rule] ? set.rules[rule].body : nil }

  func called(_ rule: Int) throws(GrammarError) -> NetworkCallee {
    NetworkCallee(rule: try number(of: rule), isNullable: traits.isNullable[rule])
  }

  func counted(
    _ part: Expression, least: Int, most: Int?, copies: Int
  ) throws(GrammarError) -> NetworkCallee? {
    guard copies > 1, part.size(traits, bound: Self.largestUnrolled + 1) * copies > Self.largestUnrolled else {
      return nil
    }
    let isNullable = part.isNullable(traits.isNullable)
    let body: Int32
    if case .rule(let rule) = part, !traits.isInlined[rule] {
      body = try number(of: rule)
    } else {
      body = try add(Rule(name: "repeated", isUnit: false, draft: .states([])))
      pending.append((Int(body), part))
    }
    // A part that may be empty may be repeated any number of times up to the greatest.
    let draft = Draft.counter(body: body, least: isNullable ? 0 : least, most: most)
    let rule = try add(Rule(name: "repetition", isUnit: false, draft: draft))
    return NetworkCallee(rule: rule, isNullable: isNullable || least == 0)
  }
}
