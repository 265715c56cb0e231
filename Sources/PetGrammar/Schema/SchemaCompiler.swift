// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// Turns a JSON schema into rules.
///
/// A rule stands for a goal: a list of subschemas that must all hold. `allOf` and `$ref` add to the list, `anyOf` splits
/// it, and a property's goal is what all members of the list ask of it: so any combination is exact, and recursion ends
/// where a goal comes again.
final class SchemaCompiler {
  /// A subschema of a goal.
  struct Member: Hashable {
    var node: Int
    /// Whether its references and combinations are dealt with.
    var isResolved = false
  }

  let options: JSONSchemaOptions
  let limits: GrammarLimits
  let budget: CompilationBudget
  var document: SchemaDocument
  private var set = RuleSet()
  private var goals: [[Member]: Int] = [:]
  private var shared: [String: Int] = [:]
  private var pending: [(rule: Int, goal: [Member])] = []

  static func compile(
    _ root: JSONValue, options: JSONSchemaOptions, limits: GrammarLimits, budget: CompilationBudget
  ) throws(GrammarError) -> RuleSet {
    let compiler = SchemaCompiler(root, options, limits, budget)
    let node = try compiler.document.node(root, at: "")
    compiler.set.root = try compiler.rule([Member(node: node)])
    while let (rule, goal) = compiler.pending.popLast() {
      compiler.set.rules[rule].body = try compiler.body(goal)
    }
    return compiler.set
  }

  private init(
    _ root: JSONValue, _ options: JSONSchemaOptions, _ limits: GrammarLimits, _ budget: CompilationBudget
  ) {
    self.budget = budget
    document = SchemaDocument(root, budget)
    self.options = options
    self.limits = limits
  }

  /// The rule of a goal.
  func rule(_ goal: [Member]) throws(GrammarError) -> Int {
    try budget.spend(goal.count + 1)
    var members: [Member] = []
    var seen: Set<Member> = []
    for member in goal {
      let member = try followed(member)
      if !asksNothing(member), seen.insert(member).inserted { members.append(member) }
    }
    if let known = goals[members] { return known }
    let rule = try add(members.first.map { "#" + document.nodes[$0.node].pointer } ?? "any value")
    goals[members] = rule
    pending.append((rule, members))
    return rule
  }

  /// What a subschema that is nothing but a reference refers to: so that a recursive schema is one rule, not two.
  private func followed(_ member: Member) throws(GrammarError) -> Member {
    var (node, seen) = (member.node, Set<Int>())
    while !member.isResolved, let object = document.nodes[node].object, object.members.count == 1,
      object["$ref"] != nil,
      let reference = try document.nodes[node].text("$ref")
    {
      // References in a circle are left for `flatten` to refuse.
      guard seen.insert(node).inserted else { return member }
      try budget.spend(1)
      node = try document.resolve(reference, from: document.nodes[node].pointer)
    }
    return Member(node: node, isResolved: member.isResolved)
  }

  private func asksNothing(_ member: Member) -> Bool {
    switch document.nodes[member.node].value {
    case .bool(let value): value
    case .object(let object): object.members.isEmpty
    default: false
    }
  }

  private func add(_ name: String) throws(GrammarError) -> Int {
    guard set.rules.count < limits.rules else { throw .tooLarge(.rules, limit: limits.rules) }
    set.rules.append(.init(name: name, body: .nothing))
    return set.rules.count - 1
  }

  /// A rule that many schemas use, made once.
  func shared(_ name: String, _ body: () throws(GrammarError) -> Expression) throws(GrammarError) -> Expression {
    if let known = shared[name] { return .rule(known) }
    let rule = try add(name)
    shared[name] = rule
    set.rules[rule].body = try body()
    return .rule(rule)
  }

  private func body(_ goal: [Member]) throws(GrammarError) -> Expression {
    guard let flat = try flatten(goal) else { return .nothing }
    guard flat.choices.isEmpty else { return try alternatives(flat) }
    let nodes = flat.nodes.map { document.nodes[$0] }
    var types = SchemaTypes.all
    for node in nodes { types.formIntersection(try node.types()) }
    if let values = try values(nodes, types) { return .choice(values.map { .literal($0.compact) }) }
    var choices: [Expression] = []
    if types.contains(.null) { choices.append(.text("null")) }
    if types.contains(.boolean) { choices.append(.choice([.text("true"), .text("false")])) }
    if types.contains(.number) {
      choices.append(try number(nodes))
    } else if types.contains(.integer) {
      choices.append(try integer(nodes))
    }
    if types.contains(.string) { choices.append(try string(nodes)) }
    if types.contains(.array) { choices.append(try array(nodes)) }
    if types.contains(.object) { choices.append(try object(nodes)) }
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  /// One goal for each combination of the alternatives.
  private func alternatives(_ flat: Flat) throws(GrammarError) -> Expression {
    for choice in flat.choices where choice.isExclusive { try checkExclusive(choice, flat) }
    var goals = [flat.nodes.map { Member(node: $0, isResolved: true) }]
    for choice in flat.choices {
      let (count, overflow) = goals.count.multipliedReportingOverflow(by: choice.alternatives.count)
      guard !overflow, count <= Self.mostAlternatives else {
        throw .tooLarge(.alternatives, limit: Self.mostAlternatives)
      }
      try budget.spend(count * (flat.nodes.count + flat.choices.count))
      goals = goals.flatMap { goal in choice.alternatives.map { goal + [Member(node: $0)] } }
    }
    var rules: [Expression] = []
    for goal in goals { rules.append(.rule(try rule(goal))) }
    return .choice(rules)
  }

  static let mostAlternatives = 4096
}
