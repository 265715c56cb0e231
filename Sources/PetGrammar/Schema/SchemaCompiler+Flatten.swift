// SPDX-License-Identifier: Apache-2.0
extension SchemaCompiler {
  /// A goal with its references followed.
  struct Flat {
    /// Object schemas that all hold, without regard to `choices`.
    var nodes: [Int] = []
    var choices: [Choice] = []
  }

  /// Of these subschemas one must hold; exactly one where `isExclusive`.
  struct Choice {
    var alternatives: [Int]
    var isExclusive: Bool
    var pointer: String
  }

  private enum Step {
    case visit(Member)
    case leave(Int)
  }

  /// Follows `$ref` and `allOf`. Nil where a subschema is `false`.
  func flatten(_ goal: [Member]) throws(GrammarError) -> Flat? {
    var flat = Flat()
    var open: Set<Int> = []
    var done: Set<Int> = []
    let resolved = Set(goal.filter(\.isResolved).map(\.node))
    var steps = goal.reversed().map(Step.visit)
    while let step = steps.popLast() {
      guard case .visit(let member) = step else {
        if case .leave(let node) = step { open.remove(node) }
        continue
      }
      let node = document.nodes[member.node]
      guard let object = node.object else {
        if node.value == .bool(false) { return nil }
        continue
      }
      // A schema that asks for itself, of the same value, asks without end.
      let isAskedAgain = !member.isResolved && resolved.contains(member.node)
      if isAskedAgain, !open.contains(member.node), try !hasChoices(member.node) { continue }
      guard !open.contains(member.node), !isAskedAgain else {
        throw .unresolvedReference(reference: "#" + node.pointer, pointer: node.pointer)
      }
      guard done.insert(member.node).inserted else { continue }
      try budget.spend(1)
      flat.nodes.append(member.node)
      guard !member.isResolved else { continue }
      try SchemaKeywords.check(object, at: node.pointer)
      open.insert(member.node)
      steps.append(.leave(member.node))
      steps += try parts(node).reversed().map { .visit(Member(node: $0)) }
      for (keyword, isExclusive) in [("anyOf", false), ("oneOf", true)] as [(StaticString, Bool)] {
        guard let alternatives = try subschemas(keyword, node) else { continue }
        flat.choices.append(Choice(alternatives: alternatives, isExclusive: isExclusive, pointer: node.pointer))
      }
    }
    return flat
  }

  /// Whether a schema comes with alternatives. One without is not among its own: asked again, it holds already.
  private func hasChoices(_ node: Int) throws(GrammarError) -> Bool {
    guard let flat = try flatten([Member(node: node)]) else { return false }
    return !flat.choices.isEmpty
  }

  /// What else must hold where a schema holds.
  private func parts(_ node: SchemaDocument.Node) throws(GrammarError) -> [Int] {
    var parts: [Int] = []
    if let reference = try node.text("$ref") {
      parts.append(try document.resolve(reference, from: node.pointer))
    }
    return parts + (try subschemas("allOf", node) ?? [])
  }

  private func subschemas(
    _ keyword: StaticString, _ node: SchemaDocument.Node
  ) throws(GrammarError) -> [Int]? {
    guard let list = try node.array(keyword) else { return nil }
    guard !list.isEmpty else { throw node.error("\(keyword)", "an empty array") }
    var found: [Int] = []
    for (index, value) in list.enumerated() {
      found.append(try document.node(value, at: "\(node.pointer)/\(keyword)/\(index)"))
    }
    return found
  }

  /// The subschema that a keyword holds.
  func subschema(_ keyword: StaticString, _ node: SchemaDocument.Node) throws(GrammarError) -> Int? {
    guard let value = node.value(keyword) else { return nil }
    return try document.node(value, at: "\(node.pointer)/\(keyword)")
  }
}
