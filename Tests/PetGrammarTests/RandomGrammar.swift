// SPDX-License-Identifier: Apache-2.0
/// A grammar made at random, and a slow recognizer that knows nothing of automata: the oracle of the matcher.
struct RandomGrammar {
  indirect enum Node {
    case literal([Unicode.Scalar])
    case characters([Unicode.Scalar], isNegated: Bool)
    case sequence([Node])
    case choice([Node])
    case repetition(Node, Int, Int?)
    case rule(Int)
  }

  static let alphabet: [Unicode.Scalar] = ["a", "b", "é", "日"]
  var rules: [Node]

  init(_ random: inout SeededRandom) {
    let count = 1 + random.below(4)
    rules = []
    for _ in 0..<count { rules.append(Self.node(&random, levels: 3, rules: count)) }
  }

  private static func node(_ random: inout SeededRandom, levels: Int, rules: Int) -> Node {
    let kind = random.below(levels > 0 ? 12 : 4)
    func child(_ random: inout SeededRandom) -> Node { node(&random, levels: levels - 1, rules: rules) }
    switch kind {
    case 0, 1: return .literal((0..<random.below(3)).map { _ in alphabet[random.below(4)] })
    case 2:
      return .characters((0..<random.below(3)).map { _ in alphabet[random.below(4)] }, isNegated: random.chance(30))
    case 3, 4: return .rule(random.below(rules))
    case 5, 6, 7: return .sequence((0..<random.below(4)).map { _ in child(&random) })
    case 8, 9: return .choice((0..<1 + random.below(3)).map { _ in child(&random) })
    default:
      let least = random.below(3)
      let most: Int? = random.chance(50) ? nil : least + random.below(random.chance(20) ? 70 : 3)
      return .repetition(child(&random), least, most)
    }
  }

  var text: String {
    rules.enumerated().map { "\($0.offset == 0 ? "root" : "r\($0.offset)") ::= \(Self.text($0.element))\n" }.joined()
  }

  private static func text(_ node: Node) -> String {
    switch node {
    case .literal(let scalars): "\"\(String(String.UnicodeScalarView(scalars)))\""
    case .characters(let scalars, let isNegated):
      "[\(isNegated ? "^" : "")\(String(String.UnicodeScalarView(scalars)))]"
    case .sequence(let parts): "(" + parts.map(text).joined(separator: " ") + ")"
    case .choice(let parts): "(" + parts.map(text).joined(separator: " | ") + ")"
    case .repetition(let part, let least, let most): "(\(text(part))){\(least),\(most.map(String.init) ?? "")}"
    case .rule(let rule): rule == 0 ? "root" : "r\(rule)"
    }
  }

  /// Where a match of the first rule that begins at the start of `text` may end. The grammar must not be left recursive.
  func ends(_ text: [Unicode.Scalar]) -> Set<Int> {
    var known: [[Int]: Set<Int>] = [:]

    func ends(_ node: Node, _ start: Int) -> Set<Int> {
      switch node {
      case .literal(let scalars): return text[start...].starts(with: scalars) ? [start + scalars.count] : []
      case .characters(let scalars, let isNegated):
        return start < text.count && scalars.contains(text[start]) != isNegated ? [start + 1] : []
      case .sequence(let parts):
        return parts.reduce([start]) { positions, part in
          positions.reduce(into: []) { $0.formUnion(ends(part, $1)) }
        }
      case .choice(let parts): return parts.reduce(into: []) { $0.formUnion(ends($1, start)) }
      case .repetition(let part, let least, let most):
        var (found, current): (Set<Int>, Set<Int>) = ([], [start])
        // After as many repetitions as there are characters, and one, more reach nothing new.
        for count in 0...max(least, text.count + 1) {
          if count >= least { found.formUnion(current) }
          if count == most { break }
          current = current.reduce(into: []) { $0.formUnion(ends(part, $1)) }
        }
        return found
      case .rule(let rule):
        if let answer = known[[rule, start]] { return answer }
        let answer = ends(rules[rule], start)
        known[[rule, start]] = answer
        return answer
      }
    }
    return ends(.rule(0), 0)
  }

  /// Whether some rule can call itself before it reads anything, worked out on the tree.
  var isLeftRecursive: Bool {
    var nullable = [Bool](repeating: false, count: rules.count)
    func isNullable(_ node: Node) -> Bool {
      switch node {
      case .literal(let scalars): scalars.isEmpty
      case .characters: false
      case .sequence(let parts): parts.allSatisfy(isNullable)
      case .choice(let parts): parts.contains(where: isNullable)
      case .repetition(let part, let least, let most): least == 0 || most == 0 || isNullable(part)
      case .rule(let rule): nullable[rule]
      }
    }
    for _ in rules { for rule in rules.indices { nullable[rule] = isNullable(rules[rule]) } }
    func first(_ node: Node) -> Set<Int> {
      switch node {
      case .literal, .characters: return []
      case .sequence(let parts):
        var found: Set<Int> = []
        for part in parts {
          found.formUnion(first(part))
          if !isNullable(part) { break }
        }
        return found
      case .choice(let parts): return parts.reduce(into: []) { $0.formUnion(first($1)) }
      case .repetition(let part, _, let most): return most == 0 ? [] : first(part)
      case .rule(let rule): return [rule]
      }
    }
    var reached = rules.map(first)
    for _ in rules {
      for rule in rules.indices {
        reached[rule] = reached[rule].reduce(into: reached[rule]) { $0.formUnion(reached[$1]) }
      }
    }
    return rules.indices.contains { reached[$0].contains($0) }
  }

  /// All texts of up to `length` characters of the alphabet.
  static func texts(_ length: Int) -> [[Unicode.Scalar]] {
    var all: [[Unicode.Scalar]] = [[]]
    var last = all
    for _ in 0..<length {
      last = last.flatMap { text in alphabet.map { text + [$0] } }
      all += last
    }
    return all
  }
}
