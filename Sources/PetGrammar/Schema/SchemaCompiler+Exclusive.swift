// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension SchemaCompiler {
  /// - Throws: `unsupported` where two alternatives of a `oneOf` might hold together.
  func checkExclusive(_ choice: Choice, _ flat: Flat) throws(GrammarError) {
    let common = flat.nodes.map { Member(node: $0, isResolved: true) }
    let goals = choice.alternatives.map { common + [Member(node: $0)] }
    guard goals.count <= 256 else { throw .tooLarge(.alternatives, limit: 256) }
    for (index, goal) in goals.enumerated() {
      for other in index + 1..<goals.count where try mayOverlap(goal, goals[other], levels: 6) {
        throw .unsupported(
          keyword: "oneOf", pointer: choice.pointer,
          reason: "alternatives \(index) and \(other) may hold together; write anyOf where that is meant")
      }
    }
  }

  /// Whether a value might satisfy both goals. False is proven; true may be for want of a proof.
  private func mayOverlap(_ left: [Member], _ right: [Member], levels: Int) throws(GrammarError) -> Bool {
    guard levels > 0 else { return true }
    try budget.spend(1)
    guard let a = try flatten(left), let b = try flatten(right) else { return false }
    let (leftNodes, rightNodes) = (a.nodes.map { document.nodes[$0] }, b.nodes.map { document.nodes[$0] })
    let leftTypes = try types(a, levels)
    let rightTypes = try types(b, levels)
    let types = leftTypes.intersection(rightTypes)
    if types.isEmpty { return false }
    if let first = try values(leftNodes, leftTypes), let second = try values(rightNodes, rightTypes) {
      return !Set(first).isDisjoint(with: second)
    }
    if types.isSubset(of: .number) {
      return try bounds(leftNodes + rightNodes).mayHold
    }
    guard types == .object else { return true }
    let keys = try requiredByAll(leftNodes).intersection(try requiredByAll(rightNodes))
    for key in keys
    where try !mayOverlap(propertyGoal(key, leftNodes), propertyGoal(key, rightNodes), levels: levels - 1) {
      return false
    }
    return true
  }

  private func requiredByAll(_ nodes: [SchemaDocument.Node]) throws(GrammarError) -> Set<[UInt8]> {
    var keys: Set<[UInt8]> = []
    for node in nodes {
      let required = try node.required()
      try budget.spend(required.count / 16)
      keys.formUnion(required)
    }
    return keys
  }

  /// Types that a goal may allow, perhaps too many.
  private func types(_ flat: Flat, _ levels: Int) throws(GrammarError) -> SchemaTypes {
    var types = SchemaTypes.all
    for index in flat.nodes {
      let node = document.nodes[index]
      types.formIntersection(try node.types())
      try budget.spend(node.valueCount)
      if let values = try node.values() {
        types.formIntersection(values.reduce([]) { $0.union(SchemaTypes(of: $1)) })
      }
    }
    guard levels > 0 else { return types }
    for choice in flat.choices {
      var union: SchemaTypes = []
      for alternative in choice.alternatives {
        guard let part = try flatten([Member(node: alternative)]) else { continue }
        union.formUnion(try self.types(part, levels - 1))
      }
      types.formIntersection(union)
    }
    return types
  }
}

extension NumberBounds {
  /// Whether any number is within the bounds.
  var mayHold: Bool {
    guard let low, let high else { return true }
    return low.value < high.value || (low.value == high.value && !low.isExclusive && !high.isExclusive)
  }
}
