// SPDX-License-Identifier: Apache-2.0
/// Reads grammars in the notation of llama.cpp: `name ::= alternatives`, one rule after another.
///
/// A rule ends with its line, except inside parentheses and after `::=` and `|`. Names are letters, digits, `-` and `_`.
struct GBNFReader {
  let bytes: [UInt8]
  let limits: GrammarLimits
  var offset = 0
  private var depth = 0
  private var rules: [RuleSet.Rule] = []
  private var indices: [String: Int] = [:]
  /// Where each rule was first named, and whether it has been defined.
  private var uses: [(offset: Int, isDefined: Bool)] = []

  static func read(_ text: String, root: String, limits: GrammarLimits) throws(GrammarError) -> RuleSet {
    guard text.utf8.count <= limits.sourceBytes else { throw .tooLarge(.sourceBytes, limit: limits.sourceBytes) }
    var reader = GBNFReader(bytes: Array(text.utf8), limits: limits)
    return try reader.grammar(root: root)
  }

  private init(bytes: [UInt8], limits: GrammarLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  private mutating func grammar(root: String) throws(GrammarError) -> RuleSet {
    skipSpace(overLines: true)
    while offset < bytes.count {
      let start = offset
      let name = try self.name()
      let rule = try index(of: name, at: start)
      guard !uses[rule].isDefined else {
        let (line, column) = place(start)
        throw .duplicateRule(name: name, line: line, column: column)
      }
      uses[rule].isDefined = true
      skipSpace(overLines: false)
      guard skip("::=") else { throw error("expected ::= after the rule's name") }
      skipSpace(overLines: true)
      rules[rule].body = try alternatives(isNested: false)
      guard offset == bytes.count || bytes[offset] == 0x0A || bytes[offset] == 0x0D else {
        throw error("expected the end of the line")
      }
      skipSpace(overLines: true)
    }
    for (rule, use) in uses.enumerated() where !use.isDefined {
      let (line, column) = place(use.offset)
      throw .undefinedRule(name: rules[rule].name, line: line, column: column)
    }
    guard let rule = indices[root] else { throw .missingRoot(name: root) }
    return RuleSet(rules: rules, root: rule)
  }

  private mutating func index(of name: String, at start: Int) throws(GrammarError) -> Int {
    if let known = indices[name] { return known }
    guard rules.count < limits.rules else { throw .tooLarge(.rules, limit: limits.rules) }
    indices[name] = rules.count
    rules.append(.init(name: name, body: .nothing))
    uses.append((start, false))
    return rules.count - 1
  }

  private mutating func alternatives(isNested: Bool) throws(GrammarError) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= limits.nesting else { throw .tooLarge(.nesting, limit: limits.nesting) }
    var choices = [try sequence(isNested: isNested)]
    while offset < bytes.count, bytes[offset] == UInt8(ascii: "|") {
      offset += 1
      skipSpace(overLines: true)
      choices.append(try sequence(isNested: isNested))
    }
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  private mutating func sequence(isNested: Bool) throws(GrammarError) -> Expression {
    var parts: [Expression] = []
    while var part = try element(isNested: isNested) {
      skipSpace(overLines: isNested)
      // Each repetition of a repetition is a level of nesting, and nobody needs many.
      var repetitions = 0
      while offset < bytes.count, Self.isRepetition(bytes[offset]) {
        let (least, most) = try repetition()
        part = .repetition(part, least: least, most: most)
        repetitions += 1
        guard repetitions <= 2 else { throw error("more than 2 repetitions of one element") }
        skipSpace(overLines: isNested)
      }
      parts.append(part)
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// A literal, class, rule or group; nil where none begins.
  private mutating func element(isNested: Bool) throws(GrammarError) -> Expression? {
    guard offset < bytes.count else { return nil }
    let start = offset
    switch bytes[offset] {
    case UInt8(ascii: "\""): return .literal(try literal())
    case UInt8(ascii: "["): return .characters(try characterClass())
    case UInt8(ascii: "."):
      offset += 1
      return .characters(.all)
    case UInt8(ascii: "("):
      offset += 1
      skipSpace(overLines: true)
      let group = try alternatives(isNested: true)
      guard skip(")") else { throw error("the ( at \(describe(start)) is not closed") }
      return group
    case let byte where Self.isName(byte): return .rule(try index(of: try name(), at: start))
    case let byte where Self.isRepetition(byte): throw error("nothing to repeat")
    default: return nil
    }
  }

  private static func isRepetition(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "{")
  }
}
