// SPDX-License-Identifier: Apache-2.0
import PetGrammar

/// What an output must look like, as a stranger's request says; behind a zero byte an output to match.
enum GrammarDoors {
  private static let limits = GrammarLimits(sourceBytes: 1 << 16, rules: 200, states: 1 << 12, repetitions: 1000)

  static func gbnf(_ bytes: [UInt8]) throws {
    let (source, output) = halves(of: bytes)
    try match(Grammar(gbnf: String(decoding: source, as: UTF8.self), limits: limits), output)
  }

  static func schema(_ bytes: [UInt8]) throws {
    let (source, output) = halves(of: bytes)
    let options = JSONSchemaOptions(isStrict: bytes.count.isMultiple(of: 2))
    try match(Grammar(jsonSchema: Array(source), options: options, limits: limits), output)
  }

  private static func halves(of bytes: [UInt8]) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    return (parts.first ?? [], parts.count > 1 ? parts[1] : [])
  }

  /// All single bytes, some longer tokens, an end.
  private static let vocabulary: TokenVocabulary = {
    let words = ["{\"", "\":", "\",\"", "true", "null", "12", "aa", "ab", "\"}", "[[", "]}", "é", " "]
    let tokens = (0...UInt8.max).map { [$0] } + words.map { Array($0.utf8) } + [[]]
    do {
      return try TokenVocabulary(tokens: tokens, endTokens: [Int32(tokens.count - 1)])
    } catch {
      fatalError("\(error)")
    }
  }()

  private static func match(_ grammar: Grammar, _ output: ArraySlice<UInt8>) throws {
    let compiled = CompiledGrammar(grammar, vocabulary: vocabulary, maskBytes: 1 << 16, stateBytes: 1 << 16)
    var matcher = GrammarMatcher(compiled)
    check(matcher)
    // A mask takes far longer than a byte: every eighth is enough, and inputs of other lengths begin with another.
    for (index, byte) in output.prefix(64).enumerated() {
      let isAllowed = (index + output.count).isMultiple(of: 8) && matcher.mask.allows(Int32(byte))
      let isAccepted = matcher.accept(bytes: CollectionOfOne(byte))
      // A mask may leave out what is allowed nowhere to end; it may not let in what is refused.
      precondition(isAccepted || !isAllowed, "a token of the mask is refused")
      guard isAccepted else { break }
    }
    check(matcher)
  }

  private static func check(_ matcher: GrammarMatcher) {
    let forced = matcher.forcedBytes(limit: 100)
    var copy = matcher
    precondition(copy.accept(bytes: forced), "forced bytes are refused")
    let mask = matcher.mask
    for token in stride(from: Int32(0), to: Int32(vocabulary.count), by: 37) where mask.allows(token) {
      var copy = matcher
      precondition(copy.accept(token), "a token of the mask is refused")
    }
  }
}
