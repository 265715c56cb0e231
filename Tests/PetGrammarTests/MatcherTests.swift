// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import Testing

@Suite("The matcher")
struct MatcherTests {
  private let tokens: [[UInt8]] = [
    "", "{", "\"", "a", "\":", "[[", "]}", "]", "{\"", "}", "1", ",", "\"x\"", "[", "<end>",
  ].map { Array($0.utf8) }

  private func matcher(_ gbnf: String) throws -> GrammarMatcher {
    try Grammar(gbnf: gbnf).matcher(tokens: tokens, ends: [14])
  }

  private let nested = #"root ::= "{" "\"a\":" value "}"\#nvalue ::= "[" (value ("," value)*)? "]" | [0-9]"#

  @Test("a copy is a fork: what one accepts, the other does not see")
  func forks() throws {
    var first = try matcher(nested)
    #expect(first.mask.tokens == [1, 8])
    var isAccepted = first.accept(1)
    #expect(isAccepted)
    let second = first
    isAccepted = first.accept(bytes: Array("\"a\":[[".utf8))
    #expect(isAccepted)
    #expect(first.mask.tokens == [5, 7, 10, 13])
    #expect(second.mask.tokens == [2])
    isAccepted = first.accept(7)
    #expect(isAccepted)
    #expect(first.mask.tokens == [6, 7, 11])
  }

  @Test("what is refused changes nothing")
  func refusals() throws {
    var matcher = try matcher(nested)
    for token: Int32 in [0, 2, 9, 14, -1, 15, .max, .min] {
      let isAccepted = matcher.accept(token)
      #expect(!isAccepted && !matcher.mask.allows(token), "\(token)")
    }
    let isAccepted = matcher.accept(bytes: Array("{\"b".utf8))
    #expect(!isAccepted)
    #expect(matcher.mask.tokens == [1, 8])
  }

  @Test("end tokens are allowed where the text may end, once, and whatever their bytes")
  func ends() throws {
    var matcher = try matcher("root ::= \"a\"+ \"<end>\"?")
    #expect(!matcher.canEnd && matcher.mask.tokens == [3])
    var isAccepted = matcher.accept(14)
    #expect(!isAccepted)
    isAccepted = matcher.accept(3)
    #expect(isAccepted && matcher.canEnd && !matcher.isFinished && matcher.mask.tokens == [3, 14])
    isAccepted = matcher.accept(14)
    #expect(isAccepted && !matcher.canEnd && matcher.isFinished && matcher.mask.count == 0)
    isAccepted = matcher.accept(3)
    #expect(!isAccepted && matcher.forcedBytes(limit: 9).isEmpty)
    isAccepted = matcher.accept(bytes: [])
    #expect(!isAccepted)
  }

  @Test("finished is where nothing but the end can follow")
  func finished() throws {
    let matcher = try matcher("root ::= \"a\" dead? | \"b\"\ndead ::= \"x\" dead")
    #expect(!matcher.isFinished)
    let after = try #require(matcher.accepting("a"))
    #expect(after.isFinished && after.canEnd && after.mask.tokens == [14])
  }

  @Test("forced bytes go on to the first choice or possible end, and no further")
  func forced() throws {
    let schema =
      #"{"type":"object","properties":{"name":{"enum":["yes","yet"]},"b":{"const":1}},"required":["name","b"]}"#
    let matcher = try Grammar(schema: schema, strict: true).matcher
    #expect(matcher.forced() == #"{"name":"ye"#)
    #expect(matcher.forced(3) == "{\"n" && matcher.forced(0) == "" && matcher.forced(-1) == "")
    #expect(matcher.accepting(#"{"name":"yes"#)?.forced() == #"","b":1}"#)
    #expect(matcher.accepting(#"{"name":"yes","b":1}"#)?.forced() == "")
    // The bytes of one character are forced by themselves.
    #expect(try Grammar(gbnf: "root ::= \"日\" | \"本\"").matcher.forcedBytes(limit: 9) == [0xE6])
    #expect(try Grammar(gbnf: "root ::= \"a\" \"b\"?").matcher.forced() == "a")
    // An endless text stops at the limit.
    #expect(refusal(gbnf: "root ::= \"a\" root") == .emptyLanguage)
    #expect(try Grammar(gbnf: "root ::= \"a\"{50000}").matcher.forcedBytes(limit: 60000).count == 50000)
  }

  @Test("tokens with the same bytes are allowed together; the last word of the mask has no bits past the vocabulary")
  func duplicates() throws {
    let tokens: [[UInt8]] = Array(repeating: [0x61], count: 70) + [[0x62]]
    let mask = try Grammar(gbnf: "root ::= \"a\"").matcher(tokens: tokens, ends: []).mask
    #expect(mask.count == 70 && mask.words == [.max, (1 << 6) - 1])
  }

  @Test("equal states share one mask, however they were reached")
  func sharing() throws {
    let grammar = try Grammar(gbnf: "root ::= \"[\" item (\",\" item)* \"]\"\nitem ::= [0-9]+ | \"{\" root \"}\"")
    let start = try grammar.matcher(tokens: tokens, ends: [14])
    let first = try #require(start.accepting("[1"))
    let second = try #require(start.accepting("[{[7,5]},12"))
    #expect(first.mask === second.mask)
    #expect(start.accepting("[{[1")?.mask !== first.mask)
  }

  @Test("end tokens outside the vocabulary and tokens of absurd length are refused")
  func vocabulary() {
    #expect(throws: TokenVocabularyError.endTokenOutOfRange(token: 1, count: 1)) {
      try TokenVocabulary(tokens: [[]], endTokens: [1])
    }
    #expect(throws: TokenVocabularyError.tokenTooLong(token: 0, bytes: 5000)) {
      try TokenVocabulary(tokens: [[UInt8](repeating: 0, count: 5000)], endTokens: [])
    }
    #expect(throws: TokenVocabularyError.tooManyTokens(count: .max)) {
      try TokenVocabulary(count: .max, endTokens: []) { _ in [] }
    }
  }

  @Test("an empty vocabulary allows nothing")
  func empty() throws {
    let matcher = try Grammar(gbnf: "root ::= \"a\"").matcher(tokens: [], ends: [])
    #expect(matcher.mask.count == 0 && matcher.mask.words.isEmpty && !matcher.mask.allows(0))
  }

  @Test("threads may share a compiled grammar, also while its tables are replaced")
  func threads() async throws {
    let grammar = try Grammar(
      gbnf: #"root ::= "a" root "1" | "[" root "2" | "\"" root "3" | "x""#, limits: .init(depth: 600))
    let vocabulary = try TokenVocabulary(tokens: tokens, endTokens: [14])
    let compiled = CompiledGrammar(grammar, vocabulary: vocabulary, maskBytes: 1 << 12, stateBytes: 1)
    await withTaskGroup(of: Bool.self) { group in
      for seed in 0..<8 {
        group.addTask {
          var random = SeededRandom(UInt64(seed))
          var matcher = GrammarMatcher(compiled)
          var text: [UInt8] = []
          for _ in 0..<500 {
            let byte = Array("a[\"".utf8)[random.below(3)]
            text.append(byte)
            guard matcher.accept(bytes: [byte]), matcher.mask.count > 0 else { return false }
          }
          let closing = text.reversed().map {
            $0 == 0x61 ? UInt8(ascii: "1") : $0 == 0x5B ? UInt8(ascii: "2") : UInt8(ascii: "3")
          }
          let forced = matcher.accept(bytes: "x".utf8) ? matcher.forcedBytes(limit: 1000) : []
          return forced == closing && matcher.accept(bytes: closing) && matcher.isFinished
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    #expect(compiled.cachedBytes < 4 << 20)
  }
}
