// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension SchemaCompiler {
  /// What is asked of a string.
  struct StringConstraints {
    var least = 0
    var most: Int?
    var automata: [CharacterAutomaton] = []
  }

  func stringConstraints(
    _ nodes: [SchemaDocument.Node], formats: Bool
  ) throws(GrammarError) -> StringConstraints {
    var asked = StringConstraints()
    for node in nodes {
      asked.least = max(asked.least, try node.count("minLength", limits: limits) ?? 0)
      if let most = try node.count("maxLength", limits: limits) { asked.most = min(asked.most ?? most, most) }
      if let pattern = try node.text("pattern") {
        asked.automata.append(
          try PatternReader.automaton(pattern, pointer: node.pointer, limits: limits, budget: budget))
      }
      if formats, let format = try node.text("format"), let expression = StringFormats.expression(format) {
        asked.automata.append(try CharacterAutomaton(expression, limits: limits, budget: budget))
      }
    }
    return asked
  }

  func string(_ nodes: [SchemaDocument.Node]) throws(GrammarError) -> Expression {
    let asked = try stringConstraints(nodes, formats: true)
    if let most = asked.most, most < asked.least { return .nothing }
    guard var automaton = asked.automata.first else { return try string(asked.least, asked.most) }
    if !options.bracesInTexts {
      let free = try automaton.intersection(braceFree(), limit: limits.states, budget: budget)
      // A pattern that asks for a brace has it.
      if free.states.contains(where: \.accepts) { automaton = free }
    }
    for other in asked.automata.dropFirst() {
      automaton = try automaton.intersection(other, limit: limits.states, budget: budget)
    }
    if asked.least > 0 || asked.most != nil {
      try budget.spend(asked.most ?? asked.least)
      automaton = try automaton.intersection(
        .lengths(asked.least, asked.most), limit: limits.states, budget: budget)
    }
    return .sequence([.text("\""), .spelled(automaton), .text("\"")])
  }

  /// The texts without a brace.
  func braceFree() throws(GrammarError) -> CharacterAutomaton {
    try CharacterAutomaton(
      .repetition(.characters(CodePoints.all.subtracting(JSONSpelling.braces)), least: 0, most: nil), limits: limits,
      budget: budget)
  }

  private var freeCharacter: Expression {
    options.bracesInTexts ? JSONSpelling.character : JSONSpelling.characterButBraces
  }

  /// Any string of so many code points.
  private func string(_ least: Int, _ most: Int?) throws(GrammarError) -> Expression {
    try shared("string \(least) \(most ?? -1)") { () throws(GrammarError) in
      .sequence([
        .text("\""), .repetition(freeCharacter, least: least, most: most), .text("\""),
      ])
    }
  }
}
