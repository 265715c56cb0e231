// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import Testing

@Suite("The notation of llama.cpp")
struct GBNFTests {
  private func expect(_ grammar: String, fits: [String], not: [String], _ place: SourceLocation = #_sourceLocation)
    throws
  {
    let grammar = try Grammar(gbnf: grammar)
    for text in fits { #expect(try grammar.matches(text), "\(text)", sourceLocation: place) }
    for text in not { #expect(try !grammar.matches(text), "\(text)", sourceLocation: place) }
  }

  @Test("literals, classes and their escapes")
  func characters() throws {
    try expect(#"root ::= "a\n\t\"\\\x41\u00e9\U0001F600\[""#, fits: ["a\n\t\"\\Aé😀["], not: ["a", ""])
    try expect("root ::= [a-cé\\-\\]x-]+", fits: ["abc", "é", "-]x"], not: ["d", "\\", "è"])
    try expect("root ::= [^a-c\\n]", fits: ["d", "é", "😀"], not: ["a", "\n", "dd", ""])
    try expect("root ::= .", fits: ["\n", "a", "é", "日", "😀", "\u{10FFFF}"], not: ["", "ab"])
    try expect("root ::= \"\" \"a\"", fits: ["a"], not: [""])
  }

  @Test("a class of characters admits only whole, shortest UTF-8 without surrogates")
  func utf8() throws {
    let grammar = try Grammar(gbnf: "root ::= .*")
    for bytes: [UInt8] in [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3], [0xE6, 0x97], [0xC3, 0x41],
    ] {
      #expect(try !grammar.matches(bytes), "\(bytes)")
    }
    // Each first byte of UTF-8 may come, and no other.
    let first = (0...255).filter { byte in (try? grammar.matcher)?.accepting([UInt8(byte)]) == true }
    #expect(first == Array(0...0x7F) + Array(0xC2...0xF4))
  }

  @Test("alternatives, groups and repetitions")
  func structure() throws {
    try expect("root ::= \"a\" | \"b\" \"c\" | ", fits: ["a", "bc", ""], not: ["b", "abc"])
    try expect("root ::= (\"a\" | \"b\")* \"c\"?", fits: ["", "abba", "abc", "c"], not: ["cc", "ca"])
    try expect(
      "root ::= \"a\"{2} \"b\"{1,} \"c\"{0,2} \"d\"{ 1 , 2 }", fits: ["aabd", "aabbbccdd"],
      not: ["abd", "aad", "aabcccd"])
    try expect("root ::= \"ab\"*?", fits: ["", "abab"], not: ["a"])
    try expect("root ::= (\"\")* \"a\" ((\"\" | \"b\")*)*", fits: ["a", "abb"], not: ["", "b"])
    try expect("root ::= \"a\"{0}", fits: [""], not: ["a"])
    try expect(
      "root ::= (\"a\" | \"\"){100}", fits: ["", "a", String(repeating: "a", count: 100)],
      not: [String(repeating: "a", count: 101)])
  }

  @Test("long repetitions are counted exactly")
  func counting() throws {
    let grammar = try Grammar(gbnf: "root ::= x{70,90} \"!\"\nx ::= [a-é] | \"(\" x{100,} \")\"")
    for count in [0, 69, 70, 80, 90, 91] {
      #expect(try grammar.matches(String(repeating: "a", count: count) + "!") == (70...90).contains(count), "\(count)")
    }
    for count in [99, 100, 101, 500] {
      let text = String(repeating: "a", count: 70) + "(" + String(repeating: "é", count: count) + ")!"
      #expect(try grammar.matches(text) == (count >= 100), "\(count)")
    }
  }

  @Test("recursion, comments, and rules over several lines")
  func layout() throws {
    try expect(
      """
      # a comment
      root ::= # another
        expr "=" term "\\n"
      expr ::= term ([-+*/] term)*   # infix
      term ::= ident | num | "(" (
          expr
        ) ")"
      ident ::= [a-z] [a-z0-9_]*
      num   ::= [0-9]+ |
        "∞"

      """, fits: ["(1+a)*2=x\n", "a=∞\n"], not: ["1=2", "(1=2\n", "=\n"])
    try expect("root ::= a-b_2\r\na-b_2 ::= \"x\"\r\n", fits: ["x"], not: ["a-b_2"])
    try expect("root ::= \"(\" root \")\" | \"x\"", fits: ["x", "((x))"], not: ["((x)", "()"])
  }

  @Test("another rule may be the root")
  func root() throws {
    let text = "root ::= \"a\"\nother ::= \"b\""
    #expect(try Grammar(gbnf: text, root: "other").matches("b"))
    #expect(refusal { try Grammar(gbnf: text, root: "none") } == .missingRoot(name: "none"))
    #expect(refusal(gbnf: "") == .missingRoot(name: "root"))
  }

  @Test(
    "errors name the line and the column",
    arguments: [
      ("root ::= \"a", 1, 12), ("root ::= \"a\"\nx := \"b\"", 2, 3), ("root ::= [a-", 1, 13), ("root ::= [b-a]", 1, 14),
      ("root ::= (\"a\"\n", 2, 1), ("root ::= \"a\")", 1, 13), ("root ::= *", 1, 10), ("root ::= \"é\" \"\\q\"", 1, 16),
      ("root ::= \"a\"{2,1}", 1, 18), ("root ::= \"a\"{,2}", 1, 14), ("root ::= \"a\"{2", 1, 15),
      ("root ::= <[5]>", 1, 10),
      ("root ::= \"\\xg\"", 1, 13), ("root ::= \"\\uD800\"", 1, 12), ("root ::= \"\\U00110000\"", 1, 12),
      ("::= \"a\"", 1, 1),
      ("root ::= \"a\" = \"b\"", 1, 14), ("root ::= \"\\", 1, 12), ("root", 1, 5), ("root ::= \"a\"***", 1, 16),
    ])
  func places(text: String, line: Int, column: Int) {
    guard case .syntax(line, column, _) = refusal(gbnf: text) else {
      Issue.record("\(text): \(String(describing: refusal(gbnf: text)))")
      return
    }
  }

  @Test("rules must be defined, and once")
  func names() {
    #expect(refusal(gbnf: "root ::= \"a\" |\n  missing") == .undefinedRule(name: "missing", line: 2, column: 3))
    #expect(refusal(gbnf: "root ::= \"a\"\nroot ::= \"b\"") == .duplicateRule(name: "root", line: 2, column: 1))
  }
}

extension GrammarMatcher {
  fileprivate func accepting(_ bytes: [UInt8]) -> Bool {
    var copy = self
    return copy.accept(bytes: bytes)
  }
}
