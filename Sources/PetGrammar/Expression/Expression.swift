// SPDX-License-Identifier: Apache-2.0
/// What a rule matches.
indirect enum Expression: Sendable {
  /// These bytes.
  case literal([UInt8])
  /// One code point, in UTF-8.
  case characters(CodePoints)
  case sequence([Expression])
  case choice([Expression])
  /// From `least` to `most` times; without an upper bound where `most` is nil.
  case repetition(Expression, least: Int, most: Int?)
  case rule(Int)
  /// Members of an object in their order, with `separator` between those that are there.
  case members([Member], rest: Expression?, separator: Expression)
  /// The inside of a JSON string whose text an automaton accepts, each code point in its canonical spelling.
  case spelled(CharacterAutomaton)

  struct Member: Sendable {
    var content: Expression
    var isRequired: Bool
  }

  static let empty = Expression.sequence([])
  /// Matches no text, not even the empty one.
  static let nothing = Expression.choice([])

  static func text(_ text: StaticString) -> Expression { .literal(text.withUTF8Buffer { Array($0) }) }
  static func any(of text: StaticString) -> Expression { .characters(CodePoints(ascii: text)) }
  static func optional(_ expression: Expression) -> Expression { .repetition(expression, least: 0, most: 1) }
  static func digits(_ low: UInt8, _ high: UInt8) -> Expression {
    .characters(CodePoints([UInt32(low) + 0x30...UInt32(high) + 0x30]))
  }
}

/// Rules that call one another, before they become an automaton.
struct RuleSet: Sendable {
  struct Rule: Sendable {
    var name: String
    var body: Expression
  }

  var rules: [Rule] = []
  var root = 0
}

extension Expression {
  /// The parts of an expression, for walks over it.
  var parts: [Expression] {
    switch self {
    case .literal, .characters, .rule, .spelled: []
    case .sequence(let parts), .choice(let parts): parts
    case .repetition(let part, _, _): [part]
    case .members(let members, let rest, let separator):
      members.map(\.content) + (rest.map { [$0] } ?? []) + [separator]
    }
  }

  /// How many parts there are at all levels, the expression itself with them.
  var partCount: Int { parts.reduce(1) { $0 + $1.partCount } }

  /// Which rules are named.
  func collectRules(into found: inout [Int]) {
    if case .rule(let rule) = self { found.append(rule) }
    for part in parts { part.collectRules(into: &found) }
  }

  /// Whether the empty text matches, where `rules` tells it of rules.
  func isNullable(_ rules: [Bool]) -> Bool {
    switch self {
    case .literal(let bytes): bytes.isEmpty
    case .characters: false
    case .sequence(let parts): parts.allSatisfy { $0.isNullable(rules) }
    case .choice(let parts): parts.contains { $0.isNullable(rules) }
    case .repetition(let part, let least, _): least == 0 || part.isNullable(rules)
    case .rule(let rule): rules[rule]
    case .members(let members, _, _): members.allSatisfy { !$0.isRequired || $0.content.isNullable(rules) }
    case .spelled(let automaton): automaton.states.first?.accepts ?? false
    }
  }

  /// About how many states this takes, `bound` where more; nil where texts without bound match. Each level of nesting
  /// counts, so what is small is shallow.
  func finiteSize(_ rules: [Int?], bound: Int) -> Int? {
    switch self {
    case .literal(let bytes): return min(bytes.count, bound)
    case .characters(let set): return min(set.utf8.reduce(0) { $0 + $1.count }, bound)
    case .sequence(let parts), .choice(let parts):
      var sum = 1
      for part in parts {
        guard let size = part.finiteSize(rules, bound: bound) else { return nil }
        sum = min(sum + size, bound)
      }
      return sum
    case .repetition(let part, _, let most):
      guard let most, let size = part.finiteSize(rules, bound: bound) else { return nil }
      return min(size, bound) * min(most, bound) + 1 < bound ? size * most + 1 : bound
    case .rule(let rule): return rules[rule]
    case .members, .spelled: return nil
    }
  }
}
