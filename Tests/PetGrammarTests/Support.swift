// SPDX-License-Identifier: Apache-2.0
import PetGrammar

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers in every run.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

extension Grammar {
  init(schema: String, strict: Bool = false, limits: GrammarLimits = GrammarLimits()) throws(GrammarError) {
    try self.init(jsonSchema: Array(schema.utf8), options: JSONSchemaOptions(isStrict: strict), limits: limits)
  }

  /// A matcher without a vocabulary, for bytes only.
  var matcher: GrammarMatcher { get throws { try matcher(tokens: [[]], ends: [0]) } }

  func matcher(tokens: [[UInt8]], ends: Set<Int32>, stateBytes: Int = 8 << 20) throws -> GrammarMatcher {
    GrammarMatcher(
      CompiledGrammar(self, vocabulary: try TokenVocabulary(tokens: tokens, endTokens: ends), stateBytes: stateBytes))
  }

  /// Whether the whole text fits.
  func matches(_ text: String) throws -> Bool { try matches(Array(text.utf8)) }

  func matches(_ bytes: [UInt8]) throws -> Bool {
    var matcher = try matcher
    return matcher.accept(bytes: bytes) && matcher.canEnd
  }

  /// Whether some text that fits begins so.
  func begins(_ text: String) throws -> Bool {
    var matcher = try matcher
    return matcher.accept(bytes: text.utf8)
  }
}

extension GrammarMatcher {
  /// As `accept`, for expectations: those do not change what they look at.
  func accepting(_ text: String) -> GrammarMatcher? {
    var copy = self
    return copy.accept(bytes: text.utf8) ? copy : nil
  }

  func forced(_ limit: Int = 1000) -> String { String(decoding: forcedBytes(limit: limit), as: UTF8.self) }

  /// The tokens that brute force allows: each is tried by its bytes.
  func triedTokens(_ tokens: [[UInt8]], ends: Set<Int32>) -> [Int32] {
    tokens.indices.map(Int32.init).filter { token in
      if ends.contains(token) { return canEnd }
      var copy = self
      return !tokens[Int(token)].isEmpty && copy.accept(bytes: tokens[Int(token)])
    }
  }
}

/// What a grammar refuses with; nil where it is compiled.
func refusal(_ compile: () throws -> Grammar) -> GrammarError? {
  do {
    _ = try compile()
    return nil
  } catch {
    return error as? GrammarError
  }
}

func refusal(gbnf: String, limits: GrammarLimits = GrammarLimits()) -> GrammarError? {
  refusal { try Grammar(gbnf: gbnf, limits: limits) }
}

func refusal(schema: String, limits: GrammarLimits = GrammarLimits()) -> GrammarError? {
  refusal { try Grammar(schema: schema, limits: limits) }
}
