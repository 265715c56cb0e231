// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import Testing

@Suite("Grammars and schemas of strangers", .timeLimit(.minutes(5)))
struct HostileTests {
  @Test(
    "repetitions that would fill the memory are refused before they are built",
    arguments: [
      "root ::= \"a\"{0,1000000}", "root ::= \"a\"{100000000}", "root ::= \"a\"{99999999999999999999999999}",
      "root ::= \"a\"{0,18446744073709551616}",
    ])
  func repetitions(text: String) {
    #expect(refusal(gbnf: text) == .tooLarge(.repetitions, limit: 100_000))
  }

  @Test("repetitions of repetitions are counted or refused, not unrolled")
  func nestedRepetitions() throws {
    let grammar = try Grammar(gbnf: "root ::= ((\"a\"{1000}){1000}){1000}")
    #expect(grammar.stateCount < 1000)
    var text = "root ::= \"a\"\n"
    for level in 1...60 {
      text += "r\(level) ::= \(level == 1 ? "root" : "r\(level - 1)") r\(level == 1 ? 1 : level - 1)\n"
    }
    _ = refusal(gbnf: text)
    // 2^60 letters, by doubling.
    let doubling = "root ::= r60\nr0 ::= [a-z]\n" + (1...60).map { "r\($0) ::= r\($0 - 1) r\($0 - 1)\n" }.joined()
    let doubled = try Grammar(gbnf: doubling)
    #expect(doubled.stateCount < 10_000)
    #expect(try doubled.begins("abc") && !doubled.matches("abc"))
    let optional = "root ::= r40\nr0 ::= [a-z]?\n" + (1...40).map { "r\($0) ::= r\($0 - 1) r\($0 - 1)\n" }.joined()
    #expect(try Grammar(gbnf: optional).matches("abc"))
  }

  @Test(
    "left recursion is refused, also where it is hidden behind what may be empty",
    arguments: [
      "root ::= root \"a\" | \"a\"", "root ::= x\nx ::= y \"a\"\ny ::= x | \"b\"", "root ::= \"\" root \"a\" | \"b\"",
      "root ::= x root | \"b\"\nx ::= \"a\"?", "root ::= (\"a\"* root)* \"b\"", "root ::= \"b\" | root{70} \"c\"",
      "root ::= root", "root ::= \"a\" x\nx ::= [a-z]{0,90} x \"b\" | \"c\"",
    ])
  func leftRecursion(text: String) {
    guard case .leftRecursion(let rule) = refusal(gbnf: text) else {
      Issue.record("\(text): \(String(describing: refusal(gbnf: text)))")
      return
    }
    #expect(rule == "root" || rule == "x" || rule == "y")
  }

  @Test(
    "a grammar that no text fits is refused",
    arguments: [
      "root ::= \"a\" root", "root ::= []", "root ::= \"a\" x\nx ::= y \"b\"\ny ::= \"c\" x", "root ::= [] | \"a\" []",
    ])
  func emptyLanguage(text: String) {
    #expect(refusal(gbnf: text) == .emptyLanguage)
  }

  @Test("an ambiguous grammar is followed in bounded work")
  func ambiguity() throws {
    // Each text has exponentially many derivations (the number of binary trees).
    let text = String(repeating: "a", count: 300)
    for grammar in [
      "root ::= \"a\" (root root | root | \"\")", "root ::= \"a\" root \"b\" | \"a\" root | \"a\"",
      "root ::= (\"a\" | \"a\" \"a\" | \"a\" root)*", "root ::= \"a\" root \"a\" | \"a\"", "root ::= ((\"a\"*)*)*",
      "root ::= x x x x\nx ::= \"a\"* y*\ny ::= \"a\" x \"a\" | \"a\"",
    ] {
      let compiled = try Grammar(gbnf: grammar, limits: GrammarLimits(depth: 1000))
      let matcher = try compiled.matcher(tokens: [[0x61], [0x61, 0x61], [0x62]], ends: [])
      if let after = matcher.accepting(text) { #expect(after.mask.count >= 0) }
    }
    #expect(try Grammar(gbnf: "root ::= ((\"a\"*)*)* ((\"a\"*)*)*").matches(text))
  }

  @Test("what needs more stacks than the limit is refused, and the mask says so too")
  func stacks() throws {
    let grammar = try Grammar(
      gbnf: "root ::= \"a\" root \"a\" | \"a\" root \"b\" | \"a\"", limits: GrammarLimits(depth: 500, stacks: 8))
    var matcher = try grammar.matcher(tokens: [[0x61]], ends: [])
    var count = 0
    while matcher.mask.allows(0), count < 1000 {
      let isAccepted = matcher.accept(0)
      #expect(isAccepted)
      count += 1
    }
    #expect(count > 4 && count < 1000)
  }

  @Test("rules whose deterministic automaton is exponential are refused")
  func determinization() {
    let text = "root ::= (\"a\" | \"b\")* \"a\"" + String(repeating: " (\"a\" | \"b\")", count: 30)
    let limits = GrammarLimits(states: 1 << 14)
    #expect(refusal(gbnf: text, limits: limits) == .tooLarge(.states, limit: 1 << 14))
    let schema = #"{"type":"string","pattern":"a.{40}$"}"#
    #expect(refusal(schema: schema, limits: limits) == .tooLarge(.states, limit: 1 << 14))
  }

  /// A key of half a megabyte is in the pointers of all its children.
  private static let longPointers: String = {
    let children = [String](repeating: "{}", count: 100_000).joined(separator: ",")
    return "{\"properties\":{\"\(String(repeating: "k", count: 500_000))\":{\"allOf\":[\(children)]}}}"
  }()

  /// A choice of 40,000 nested classes, of which most hold in the middle.
  private static let nestedClasses: String = {
    let classes = (0..<40_000).map { "[\\\\u\(String(0xE000 + $0 / 10, radix: 16))-\u{10FFFD}]" }
    return "{\"pattern\":\"\(classes.joined(separator: "|"))\"}"
  }()

  /// 32,640 pairs of alternatives, with 50,000 keys that both must have.
  private static let manyKeys: String = {
    let keys = (0..<50_000).map { "\"\($0)\"" }.joined(separator: ",")
    let alternatives = (0..<256).map { "{\"properties\":{\"k\":{\"const\":\($0)}},\"required\":[\"k\"]}" }
    return "{\"type\":\"object\",\"required\":[\(keys)],\"oneOf\":[\(alternatives.joined(separator: ","))]}"
  }()

  /// 1,000 ways to a place behind which nothing is asked for 200,000 times.
  private static let emptyGroups: String = {
    let words = (0..<1000).map { String($0 + 1000).dropFirst() }
    let groups = String(repeating: "()", count: 200_000)
    return "{\"pattern\":\"^(\(words.joined(separator: "|")))\(groups)x$\"}"
  }()

  /// 32,640 pairs of alternatives, and the types of 1,000 values for each; in the second only one of them is left.
  private static let manyValues: [String] = {
    let values = (0..<1000).map(String.init).joined(separator: ",")
    let alternatives = [String](repeating: "{\"type\":\"string\"}", count: 256).joined(separator: ",")
    return ["", "\"const\":999,"].map { "{\($0)\"enum\":[\(values)],\"oneOf\":[\(alternatives)]}" }
  }()

  @Test(
    "work that leaves little behind is bounded too",
    arguments: [
      // 4,000 patterns of 100,000 steps; 3,000 schemas that all name a property; 200,000 values listed twice.
      "{\"anyOf\":[" + (0..<4000).map { "{\"pattern\":\"^a{\($0 + 90000)}$\"}" }.joined(separator: ",") + "]}",
      "{\"type\":\"object\",\"allOf\":["
        + (0..<6000).map { "{\"properties\":{\"p\($0)\":{\"minimum\":\($0)}}}" }.joined(separator: ",") + "]}",
      longPointers, nestedClasses, manyKeys, emptyGroups, manyValues[0], manyValues[1],
    ])
  func work(schema: String) {
    #expect(refusal(schema: schema) == .tooLarge(.work, limit: 1 << 21))
  }

  @Test("a long rule is not read again without end for each rule that it names")
  func emptyRules() {
    let words = [String](repeating: "\"a\"", count: 150_000).joined(separator: "|")
    let calls = (0..<1000).map { "|\"x\" r\($0)" }.joined()
    let rules = (0..<1000).map { "r\($0) ::= \"\"\n" }.joined()
    #expect(refusal(gbnf: "root ::= \(words)\(calls)\n\(rules)") == .tooLarge(.work, limit: 1 << 21))
  }

  @Test("a literal may be as long as there are states for it")
  func literals() throws {
    let long = String(repeating: "a", count: 200_000)
    let constant = try Grammar(schema: "{\"const\":\"\(long)\"}")
    #expect(try constant.matches("\"\(long)\"") && !constant.matches("\"\(long)a\""))
    let choice = try Grammar(gbnf: "root ::= \"\(long)\" | \"b\"")
    #expect(try choice.matches(long) && choice.matches("b") && !choice.matches(long + "b"))
    let longer = "{\"const\":\"\(String(repeating: "a", count: 900_000))\"}"
    #expect(refusal(schema: longer) == .tooLarge(.states, limit: 1 << 18))
  }

  @Test("a class of very many members is read in time")
  func characterClass() throws {
    let members = stride(from: UInt32(0x1_0000), to: 0x8_0000, by: 2).compactMap(Unicode.Scalar.init)
    let text = "{\"type\":\"string\",\"pattern\":\"^[\(String(String.UnicodeScalarView(members)))]$\"}"
    let grammar = try Grammar(schema: text, limits: GrammarLimits(sourceBytes: 2 << 20))
    #expect(try grammar.matches("\"\u{10000}\"") && !grammar.matches("\"\u{10001}\""))
  }

  @Test("an exponent is a number of its own", arguments: [Int.min, Int.max, -401, 401])
  func exponents(_ exponent: Int) {
    for (type, keyword) in [("number", "minimum"), ("string", "maxLength")] {
      guard refusal(schema: "{\"type\":\"\(type)\",\"\(keyword)\":1e\(exponent)}") != nil else {
        Issue.record("\(keyword) of 1e\(exponent) was compiled")
        continue
      }
    }
  }

  @Test("long lists of values are compared in time", arguments: [("", ""), ("{\"a\":", "}")])
  func lists(before: String, after: String) throws {
    let values = (0..<100_000).map { "\(before)\($0)\(after)" }.joined(separator: ",")
    let schema = "{\"allOf\":[{\"enum\":[\(values)]},{\"enum\":[\(values)]}]}"
    let grammar = try Grammar(schema: schema, limits: GrammarLimits(sourceBytes: 4 << 20))
    #expect(try grammar.matches("\(before)99999\(after)") && !grammar.matches("\(before)100000\(after)"))
  }

  @Test("hundreds of properties and a key that is none of them; too many of them are refused")
  func properties() throws {
    let properties = (0..<300).map { "\"property\($0)\":{\"const\":\($0)}" }.joined(separator: ",")
    let grammar = try Grammar(schema: "{\"type\":\"object\",\"properties\":{\(properties)}}")
    #expect(try grammar.matches(#"{"property7":7,"property298":298,"property1000":0}"#))
    #expect(try !grammar.matches(#"{"property7":8}"#) && !grammar.matches(#"{"property298":298,"property7":0}"#))
    let many = (0..<5000).map { "\"property\($0)\":true" }.joined(separator: ",")
    guard case .tooLarge = refusal(schema: "{\"type\":\"object\",\"properties\":{\(many)}}") else {
      Issue.record("5,000 optional properties were compiled")
      return
    }
  }

  @Test("deep nesting is an error, not the end of the stack")
  func nesting() throws {
    let deep = 100_000
    #expect(
      refusal(gbnf: "root ::= " + String(repeating: "(", count: deep)) == .tooLarge(.nesting, limit: 64))
    #expect(
      refusal(gbnf: "root ::= " + String(repeating: "(", count: 60) + "\"a\"" + String(repeating: "*)", count: 60))
        == nil)
    #expect(refusal(schema: String(repeating: "[", count: deep)) == .tooLarge(.nesting, limit: 64))
    #expect(refusal(schema: String(repeating: #"{"not":"#, count: deep)) == .tooLarge(.nesting, limit: 64))
    let pattern = String(repeating: "(", count: deep)
    guard case .unsupported("pattern", "", _) = refusal(schema: #"{"pattern":"\#(pattern)"}"#) else {
      Issue.record("a pattern of \(deep) groups was read")
      return
    }
    // What follows an element is within what may follow the one before it.
    func prefixed(_ count: Int) -> String {
      "{\"type\":\"array\",\"prefixItems\":[\([String](repeating: "{}", count: count).joined(separator: ","))]}"
    }
    #expect(refusal(schema: prefixed(deep)) == .tooLarge(.repetitions, limit: 1024))
    let elements = [String](repeating: "1", count: 1000).joined(separator: ",")
    #expect(try Grammar(schema: prefixed(1000)).matches("[\(elements)]"))
  }

  @Test("chains of rules and references as long as they may be")
  func chains() throws {
    let count = 12_000
    let rules = "root ::= r0\n" + (0..<count).map { "r\($0) ::= r\($0 + 1)\n" }.joined() + "r\(count) ::= \"a\"\n"
    #expect(try Grammar(gbnf: rules).matches("a"))
    let wrapped =
      "root ::= r0\n" + (0..<count).map { "r\($0) ::= \"(\" r\($0 + 1) \")\"\n" }.joined() + "r\(count) ::= \"a\"*\n"
    #expect(try Grammar(gbnf: wrapped).begins(String(repeating: "(", count: count) + "aa)))"))
    let references = (0..<count).map { "\"d\($0)\":{\"$ref\":\"#/$defs/d\($0 + 1)\"}" }.joined(separator: ",")
    let schema = "{\"$ref\":\"#/$defs/d0\",\"$defs\":{\(references),\"d\(count)\":{\"const\":5}}}"
    #expect(try Grammar(schema: schema).matches("5"))
  }

  @Test("text and rules are limited")
  func sizes() {
    let limits = GrammarLimits(sourceBytes: 1000, rules: 10)
    #expect(refusal(gbnf: String(repeating: " ", count: 1001), limits: limits) == .tooLarge(.sourceBytes, limit: 1000))
    #expect(
      refusal(schema: String(repeating: " ", count: 1001), limits: limits) == .tooLarge(.sourceBytes, limit: 1000))
    let rules = "root ::= r0\n" + (0...10).map { "r\($0) ::= \"a\"* r\(min($0 + 1, 10))\n" }.joined()
    #expect(refusal(gbnf: rules, limits: limits) == .tooLarge(.rules, limit: 10))
  }

  @Test("huge enumerations compile in time, and share their ends")
  func enumerations() throws {
    let words = (0..<20_000).map { "\"item number \($0 * 7919 % 100_000) of the list\"" }
    let schema = "{\"enum\":[\(words.joined(separator: ","))]}"
    let grammar = try Grammar(schema: schema, limits: GrammarLimits(sourceBytes: 2 << 20))
    #expect(grammar.stateCount < 60_000)
    #expect(try grammar.matches(words[19_999]) && !grammar.matches("\"item number x of the list\""))
    #expect(try grammar.matcher.forced() == "\"item number ")
  }

  @Test(
    "references in circles",
    arguments: [
      ##"{"$ref":"#"}"##, ##"{"allOf":[{"$ref":"#"}]}"##, ##"{"anyOf":[{"$ref":"#"},{"type":"null"}]}"##,
      ##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
      ##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"oneOf":[{"allOf":[{"$ref":"#/$defs/a"}]}]},{"const":1}]}}}"##,
      ##"{"$ref":"#/nowhere"}"##, ##"{"$ref":"#/$defs/a~2"}"##, ##"{"$ref":"#/%zz"}"##,
    ])
  func circles(schema: String) {
    guard case .unresolvedReference = refusal(schema: schema) else {
      Issue.record("\(schema): \(String(describing: refusal(schema: schema)))")
      return
    }
  }

  @Test("recursion that never ends is refused; recursion that may end is followed to the bound of depth")
  func recursion() throws {
    #expect(refusal(schema: ##"{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}"##) == .emptyLanguage)
    let list = ##"{"type":"array","items":{"$ref":"#"}}"##
    for depth in [0, 1, 5] {
      let grammar = try Grammar(schema: list, limits: GrammarLimits(depth: depth))
      for levels in 1...8 {
        let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        #expect(try grammar.matches(text) == (levels <= depth + 1), "\(depth) \(levels)")
      }
    }
  }

  @Test("too many combinations of alternatives are refused")
  func combinations() {
    let choice = "{\"anyOf\":[{\"minLength\":1},{\"maxLength\":5},{\"minLength\":2},{\"maxLength\":9}]}"
    let schema = "{\"type\":\"string\",\"allOf\":[" + (0..<10).map { _ in choice }.joined(separator: ",") + "]}"
    #expect(refusal(schema: schema) == .tooLarge(.alternatives, limit: 4096))
  }

  @Test("no change of a byte of a grammar or a schema makes the compiler trap")
  func mutations() {
    var random = SeededRandom(7)
    let grammar = Array("root ::= \"a\\u00e9\" ([a-z^\\]]{2,30} | x)* # c\nx ::= \"(\" root? \")\" | .+\n".utf8)
    let schema = Array(
      ##"{"type":["object","null"],"properties":{"a":{"pattern":"^[a-z]{2,}\\d?$","minLength":1},"b":{"$ref":"#/$defs/x"}},"required":["a"],"additionalProperties":{"anyOf":[{"minimum":-1.5e1},{"maxItems":3}]},"$defs":{"x":{"oneOf":[{"const":1},{"enum":["\ud83d\ude00"]}]}}}"##
        .utf8)
    let limits = GrammarLimits(rules: 200, states: 1 << 12, repetitions: 1000)
    for _ in 0..<4000 {
      for (source, isSchema) in [(grammar, false), (schema, true)] {
        var bytes = source
        for _ in 0...random.below(3) {
          let place = random.below(bytes.count)
          switch random.below(4) {
          case 0: bytes[place] = UInt8(random.below(256))
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(source[random.below(source.count)], at: place)
          default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20) + 1))
          }
          if bytes.isEmpty { bytes = source }
        }
        let error = refusal {
          isSchema
            ? try Grammar(jsonSchema: bytes, limits: limits)
            : try Grammar(gbnf: String(decoding: bytes, as: UTF8.self), limits: limits)
        }
        if let error { #expect(!error.description.isEmpty) }
      }
    }
  }
}
