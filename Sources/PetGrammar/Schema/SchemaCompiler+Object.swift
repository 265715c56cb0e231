// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension SchemaCompiler {
  private var comma: Expression {
    options.whiteSpace == .none ? .text(",") : .sequence([.text(","), .optional(.text(" "))])
  }

  private var colon: Expression {
    options.whiteSpace == .none ? .text(":") : .sequence([.text(":"), .optional(.text(" "))])
  }

  func object(_ nodes: [SchemaDocument.Node]) throws(GrammarError) -> Expression {
    var keys: [[UInt8]] = []
    var known: Set<[UInt8]> = []
    var required: Set<[UInt8]> = []
    for node in nodes {
      for (key, _) in try node.members("properties")?.members ?? [] where known.insert(key).inserted {
        keys.append(key)
      }
    }
    for node in nodes {
      for key in try node.required() {
        required.insert(key)
        if known.insert(key).inserted { keys.append(key) }
      }
    }
    var members: [Expression.Member] = []
    try budget.spend(keys.reduce(0) { $0 + $1.count + nodes.count })
    for key in keys {
      let value = try rule(try propertyGoal(key, nodes))
      let content = Expression.sequence([.literal(JSONSpelling.quoted(key)), colon, .rule(value)])
      members.append(.init(content: content, isRequired: required.contains(key)))
    }
    let rest = try additionalMember(keys, nodes)
    return .sequence([.text("{"), .members(members, rest: rest, separator: comma), .text("}")])
  }

  /// All that is asked of the value of a key.
  func propertyGoal(
    _ key: [UInt8], _ nodes: [SchemaDocument.Node]
  ) throws(GrammarError) -> [Member] {
    var goal: [Member] = []
    for node in nodes {
      if let value = try node.members("properties")?[key] {
        let pointer = "\(node.pointer)/properties/\(SchemaDocument.escaped(key))"
        goal.append(Member(node: try document.node(value, at: pointer)))
      } else if let additional = try subschema("additionalProperties", node) {
        goal.append(Member(node: additional))
      }
    }
    return goal
  }

  /// A member with a key that no schema names; nil where there may be none.
  private func additionalMember(
    _ keys: [[UInt8]], _ nodes: [SchemaDocument.Node]
  ) throws(GrammarError) -> Expression? {
    var goal: [Member] = []
    var namesProperties = false
    for node in nodes {
      if try node.members("properties") != nil { namesProperties = true }
      guard let additional = try subschema("additionalProperties", node) else { continue }
      if document.nodes[additional].value == .bool(false) { return nil }
      goal.append(Member(node: additional))
    }
    if goal.isEmpty, namesProperties, options.isStrict { return nil }
    let value = Expression.rule(try rule(goal))
    let listed = JSONValue.array(keys.map { JSONValue.string($0) }).compact
    let name = try shared("key but " + String(decoding: listed, as: UTF8.self)) { () throws(GrammarError) in
      var others = CharacterAutomaton.allBut(keys)
      if !options.bracesInTexts {
        others = try others.intersection(braceFree(), limit: limits.states, budget: budget)
      }
      return .sequence([.text("\""), .spelled(others), .text("\"")])
    }
    return .sequence([name, colon, value])
  }

  /// Each is a level of nesting of the rule's expression.
  private static let mostPrefixItems = 1024

  func array(_ nodes: [SchemaDocument.Node]) throws(GrammarError) -> Expression {
    var (least, prefix) = (0, 0)
    var most: Int?
    for node in nodes {
      least = max(least, try node.count("minItems", limits: limits) ?? 0)
      if let count = try node.count("maxItems", limits: limits) { most = min(most ?? count, count) }
      prefix = max(prefix, try node.array("prefixItems")?.count ?? 0)
      if case .array? = node.value("items") {
        throw .unsupported(keyword: "items", pointer: node.pointer, reason: "an array of schemas is now prefixItems")
      }
    }
    guard prefix <= Self.mostPrefixItems else { throw .tooLarge(.repetitions, limit: Self.mostPrefixItems) }
    if options.isStrict, prefix > 0, !nodes.contains(where: { $0.value("items") != nil }) {
      most = min(most ?? prefix, prefix)
    }
    if let most, most < least { return .nothing }
    try budget.spend(prefix * nodes.count)
    // From the last element to the first: what may follow an element, with its comma.
    let item = Expression.rule(try rule(try itemGoal(prefix, nodes)))
    var following = Expression.repetition(
      .sequence([comma, item]), least: max(0, least - max(prefix, 1)), most: most.map { max(0, $0 - max(prefix, 1)) })
    for index in (0..<max(prefix, 1)).reversed() {
      if let most, index >= most {
        following = .empty
        continue
      }
      let element = index < prefix ? Expression.rule(try rule(try itemGoal(index, nodes))) : item
      let this = Expression.sequence(index == 0 ? [element, following] : [comma, element, following])
      following = index < least ? this : .optional(this)
    }
    return .sequence([.text("["), following, .text("]")])
  }

  /// All that is asked of the element at `index`.
  private func itemGoal(_ index: Int, _ nodes: [SchemaDocument.Node]) throws(GrammarError) -> [Member] {
    var goal: [Member] = []
    for node in nodes {
      if let prefix = try node.array("prefixItems"), index < prefix.count {
        goal.append(Member(node: try document.node(prefix[index], at: "\(node.pointer)/prefixItems/\(index)")))
      } else if let items = try subschema("items", node) {
        goal.append(Member(node: items))
      }
    }
    return goal
  }
}
