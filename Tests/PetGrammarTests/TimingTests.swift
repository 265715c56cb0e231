// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetGrammar
import Testing

/// How long masks take with a real vocabulary. PET_GRAMMAR_VOCABULARY names a file, little-endian: u32 count, u32 end
/// token, then per token u32 length and bytes.
@Suite("Timing", .enabled(if: ProcessInfo.processInfo.environment["PET_GRAMMAR_VOCABULARY"] != nil), .serialized)
struct TimingTests {
  private func readVocabulary() throws -> TokenVocabulary {
    let path = try #require(ProcessInfo.processInfo.environment["PET_GRAMMAR_VOCABULARY"])
    var data = [UInt8](try Data(contentsOf: URL(filePath: path)))[...]
    func word() -> Int {
      defer { data = data.dropFirst(4) }
      return data.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let (count, end) = (word(), word())
    var tokens: [[UInt8]] = []
    for _ in 0..<count {
      let length = word()
      tokens.append(Array(data.prefix(length)))
      data = data.dropFirst(length)
    }
    return try TokenVocabulary(tokens: tokens, endTokens: [Int32(end)])
  }

  private static let grammars: [(name: String, grammar: @Sendable () throws -> Grammar, text: String)] = [
    (
      "JSON mode", { try Grammar.json() },
      #"{"name":"Rex the dog","tags":["a",{"b":[1.5e3,true,null]}],"note":"\u00e9 日本"}"#
    ),
    (
      "schema",
      {
        try Grammar(
          schema:
            #"{"type":"object","properties":{"name":{"type":"string","maxLength":200},"age":{"type":"integer","minimum":0,"maximum":150},"mood":{"enum":["happy","sad","sleepy"]},"notes":{"type":"array","items":{"type":"string","pattern":"^[A-Z][a-z ]*$"},"maxItems":50},"born":{"type":"string","format":"date"}},"required":["name","age","mood","notes","born"]}"#,
          strict: true)
      },
      #"{"name":"Rex the happy old dog of the house","age":12,"mood":"happy","notes":["Likes the garden","Hates the vacuum cleaner"],"born":"2020-02-29"}"#
    ),
    (
      "GBNF JSON",
      {
        try Grammar(
          gbnf: #"""
            root   ::= object
            value  ::= object | array | string | number | ("true" | "false" | "null") ws
            object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
            array  ::= "[" ws ( value ("," ws value)* )? "]" ws
            string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
            number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
            ws ::= | " " | "\n" [ \t]{0,20}
            """#)
      },
      "{\"name\": \"Rex the dog\", \"tags\": [\"a\", {\"b\": [1.5e3, true, null]}],\n  \"note\": \"\\u00e9 日本\"}"
    ),
  ]

  @Test("masks and steps with a real vocabulary")
  func timing() throws {
    let clock = ContinuousClock()
    var built: TokenVocabulary?
    print("vocabulary:", try clock.measure { built = try readVocabulary() })
    let vocabulary = try #require(built)
    for (name, make, text) in Self.grammars {
      var made: Grammar?
      print("\(name): compile", try clock.measure { made = try make() }, "states", made?.stateCount ?? 0)
      let compiled = CompiledGrammar(try #require(made), vocabulary: vocabulary)
      for pass in ["first", "again"] {
        var (matcher, times, worst) = (GrammarMatcher(compiled), [Duration](), "")
        var slowest = Duration.zero
        for (index, byte) in text.utf8.enumerated() {
          let time = clock.measure { _ = matcher.mask.count }
          times.append(time)
          if time > slowest {
            (slowest, worst) = (time, String(decoding: Array(text.utf8.prefix(index)), as: UTF8.self))
          }
          let isAccepted = matcher.accept(bytes: [byte])
          #expect(isAccepted)
        }
        times.sort()
        print(
          "\(name), \(pass): median \(times[times.count / 2]), 90 % \(times[times.count * 9 / 10]), most \(slowest) after \(worst.suffix(20)); \(compiled.cachedBytes >> 10) KB"
        )
      }
      var (matcher, count) = (GrammarMatcher(compiled), 0)
      // Greedy longest tokens.
      var rest = Array(text.utf8)[...]
      var tokens: [Int32] = []
      while !rest.isEmpty {
        guard
          let best = matcher.mask.tokens.filter({
            rest.starts(with: vocabulary.bytes(of: $0)) && !vocabulary.endTokens.contains($0)
          })
          .max(by: { vocabulary.bytes(of: $0).count < vocabulary.bytes(of: $1).count })
        else { break }
        tokens.append(best)
        rest = rest.dropFirst(vocabulary.bytes(of: best).count)
        count += matcher.accept(best) ? 1 : 0
      }
      #expect(rest.isEmpty && count == tokens.count)
      let accepts = clock.measure {
        for _ in 0..<100 {
          var matcher = GrammarMatcher(compiled)
          for token in tokens { count += matcher.accept(token) ? 1 : 0 }
        }
      }
      let masks = clock.measure { for _ in 0..<100_000 { count += matcher.mask.words.count } }
      print("\(name): accept \(accepts / (100 * tokens.count)), cached mask \(masks / 100_000)")
      let start = GrammarMatcher(compiled)
      let first = try #require(start.accepting(String(text.prefix(10))))
      #expect(first.mask.tokens.count == first.mask.count)
    }
  }

  @Test(
    "masks of grammars that are made to be slow",
    arguments: [
      // All palindromes: each beginning has stacks of its own, and each byte may be the middle.
      (
        "palindromes",
        "root ::= " + Array("abcdefghijklmnopqrstuvwxyz ").map { "\"\($0)\" root? \"\($0)\"" }.joined(separator: " | ")
      ),
      ("ambiguous words", "root ::= x x x x x x x x\nx ::= (y | [a-z ]+)*\ny ::= [a-z] x [a-z ] | [a-z]+ \" \""),
      (
        "many callers",
        "root ::= " + (0..<40).map { "[a-z ]+ r\($0)" }.joined(separator: " | ") + "\n"
          + (0..<40).map { "r\($0) ::= [a-z ]+ r\(($0 * 7 + 3) % 40)? [b-z ]" }.joined(separator: "\n")
      ),
      ("deep counters", "root ::= (([a-z ]{1,3000} | [a-m]{2,70} x){0,900}){3,800}\nx ::= [a-z]* root? \"x\""),
    ])
  func hostile(name: String, text: String) throws {
    let clock = ContinuousClock()
    let vocabulary = try readVocabulary()
    var grammar: Grammar?
    let compile = try clock.measure { grammar = try Grammar(gbnf: text, limits: .init(depth: 200)) }
    let compiled = CompiledGrammar(try #require(grammar), vocabulary: vocabulary)
    var (matcher, worst, random) = (GrammarMatcher(compiled), Duration.zero, SeededRandom(1))
    var accepted = 0
    for _ in 0..<40 {
      guard let token = matcher.mask.tokens.randomElement(using: &random) else { break }
      var next = matcher
      worst = max(worst, clock.measure { accepted += next.accept(token) ? 1 : 0 })
      worst = max(worst, clock.measure { _ = next.mask })
      matcher = next
    }
    print("\(name): compile \(compile), slowest of \(accepted) masks \(worst), \(compiled.cachedBytes >> 10) KB")
    #expect(accepted > 0)
  }
}
