// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension SchemaCompiler {
  /// The values that `enum` and `const` leave, where there is either.
  func values(_ nodes: [SchemaDocument.Node], _ types: SchemaTypes) throws(GrammarError) -> [JSONValue]? {
    var left: [JSONValue]?
    for node in nodes {
      try budget.spend(node.valueCount)
      guard let values = try node.values() else { continue }
      guard let others = left else {
        left = values
        continue
      }
      let known = Set(values)
      left = others.filter(known.contains)
    }
    guard let left else { return nil }
    var fitting: [JSONValue] = []
    let bounds = try bounds(nodes)
    let asked = try stringConstraints(nodes, formats: false)
    for value in left where types.contains(SchemaTypes(of: value)) {
      if try fits(value, nodes, bounds, asked) { fitting.append(value) }
    }
    return fitting
  }

  /// Whether a listed value is what the other keywords ask for.
  private func fits(
    _ value: JSONValue, _ nodes: [SchemaDocument.Node], _ bounds: NumberBounds, _ asked: StringConstraints
  ) throws(GrammarError) -> Bool {
    switch value {
    case .null, .bool: return true
    case .number(let text):
      guard bounds.low != nil || bounds.high != nil else { return true }
      guard let number = Decimal(text) else { return false }
      return bounds.contains(number)
    case .string(let text):
      let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
      return scalars.count >= asked.least && scalars.count <= asked.most ?? .max
        && asked.automata.allSatisfy { $0.accepts(scalars) }
    case .array: try refuse(nodes, ["items", "prefixItems", "minItems", "maxItems"])
    case .object: try refuse(nodes, ["properties", "required", "additionalProperties"])
    }
    return true
  }

  private func refuse(_ nodes: [SchemaDocument.Node], _ keywords: [StaticString]) throws(GrammarError) {
    for node in nodes {
      for keyword in keywords where node.value(keyword) != nil {
        throw .unsupported(
          keyword: "\(keyword)", pointer: node.pointer, reason: "enum or const lists arrays or objects beside it")
      }
    }
  }
}

extension CharacterAutomaton {
  func accepts(_ text: String.UnicodeScalarView) -> Bool {
    var state = 0
    for scalar in text {
      guard let edge = states[state].edges.first(where: { $0.low <= scalar.value && scalar.value <= $0.high }) else {
        return false
      }
      state = Int(edge.target)
    }
    return states[state].accepts
  }
}
