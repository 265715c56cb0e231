// SPDX-License-Identifier: Apache-2.0
import PetTokenizer
import Testing

/// Vocabularies come from files that anyone may have made: what is wrong with them is said, and nothing traps.
@Suite struct HostileVocabularyTests {
  private static func table(_ entries: [String]) throws -> TokenTable { try TokenTable(entries.map(\.utf8)) }

  private static func byteLevel(
    _ tokens: [String], merges: [String] = [], types: [Int32] = []
  ) throws -> any Tokenizer {
    let vocabulary = try Vocabulary(
      algorithm: .byteLevelBPE(.gpt2), tokens: table(tokens), types: types, merges: table(merges))
    return try vocabulary.makeTokenizer()
  }

  private static func pieces(_ tokens: [String], types: [Int32], scores: [Float]? = nil) throws -> any Tokenizer {
    let vocabulary = try Vocabulary(
      algorithm: .sentencePiece, tokens: table(tokens), scores: scores ?? tokens.map { _ in 0 }, types: types)
    return try vocabulary.makeTokenizer()
  }

  @Test(
    arguments: [[], [1], [0], [0, 3, 2, 4], [0, 5], [0, .max, 4], [.max, 4], [0, 4, 3], [1, 4]] as [[UInt32]])
  func rejectsPositionsThatDoNotDescribeTheBytes(starts: [UInt32]) {
    #expect(throws: TokenizerError.malformedTable(count: max(starts.count - 1, 0), byteCount: 4)) {
      try TokenTable(bytes: [1, 2, 3, 4], starts: starts)
    }
  }

  /// Entries with a byte in front of each: none may begin before its own, or end after the next one's.
  @Test(
    arguments: [[], [1], [0, 7], [1, 6], [1, 8], [1, 1, 7], [1, 7, 7], [1, 4, 3, 7], [1, .max, 7]] as [[UInt32]])
  func rejectsPositionsThatDoNotDescribeBytesOfOthers(starts: [UInt32]) throws {
    let keeper = Bytes([0, 1, 0, 2, 3, 0])
    #expect(throws: TokenizerError.malformedTable(count: max(starts.count - 1, 0), byteCount: 6)) {
      try TokenTable(memory: UnsafeRawBufferPointer(keeper.memory), keeper: keeper, starts: starts, gap: 1)
    }
    let memory = UnsafeRawBufferPointer(keeper.memory)
    let table = try TokenTable(memory: memory, keeper: keeper, starts: [1, 3, 6, 7], gap: 1)
    #expect((0..<table.count).map { table[$0] } == [[1], [2, 3], []])
  }

  private final class Bytes: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
      memory = .allocate(byteCount: bytes.count, alignment: 1)
      memory.copyBytes(from: bytes)
    }

    deinit { memory.deallocate() }
  }

  @Test func rejectsMoreLiteralsThanATreeShouldHold() throws {
    let tokens = (0..<1100).map { String($0) + String(repeating: "x", count: 1000 - String($0).count) }
    #expect(throws: TokenizerError.literalsTooLong(byteCount: 1_100_000, limit: 1 << 20)) {
      try Self.byteLevel(tokens, types: tokens.map { _ in 3 })
    }
    _ = try Vocabulary(algorithm: .byteLevelBPE(.gpt2), tokens: Self.table(tokens))
  }

  @Test func rejectsCountsThatDisagree() throws {
    let tokens = try Self.table(["a", "b"])
    #expect(throws: TokenizerError.tokenCount(0)) {
      try Vocabulary(algorithm: .byteLevelBPE(.gpt2), tokens: TokenTable())
    }
    #expect(throws: TokenizerError.countMismatch(key: "tokenizer.ggml.scores", expected: 2, found: 0)) {
      try Vocabulary(algorithm: .sentencePiece, tokens: tokens)
    }
    #expect(throws: TokenizerError.countMismatch(key: "tokenizer.ggml.token_type", expected: 2, found: 3)) {
      try Vocabulary(algorithm: .byteLevelBPE(.gpt2), tokens: tokens, types: [1, 1, 1])
    }
    #expect(throws: TokenizerError.tokenCount(Vocabulary.maximumTokenCount + 1)) {
      let starts = [UInt32](repeating: 0, count: Vocabulary.maximumTokenCount + 2)
      _ = try Vocabulary(algorithm: .byteLevelBPE(.gpt2), tokens: TokenTable(bytes: [], starts: starts))
    }
  }

  @Test(arguments: [-1, 0, 7, Int32.max, Int32.min])
  func rejectsUnknownTokenTypes(value: Int32) {
    #expect(throws: TokenizerError.unknownTokenType(token: 1, value: value)) {
      try Self.byteLevel(["a", "b"], types: [1, value])
    }
  }

  @Test(arguments: [-1, 2, Int.max, Int.min, Int(UInt32.max)])
  func rejectsRolesOutsideTheVocabulary(id: Int) throws {
    let tokens = try Self.table(["a", "b"])
    #expect(throws: TokenizerError.idOutOfRange(key: "tokenizer.ggml.eos_token_id", id: id, count: 2)) {
      try Vocabulary(algorithm: .byteLevelBPE(.gpt2), tokens: tokens, roles: TokenRoles(endOfSequence: id))
    }
  }

  @Test func rejectsScoresThatAreNoNumbers() {
    for score in [Float.nan, .infinity, -.infinity] {
      #expect(throws: TokenizerError.scoreNotFinite(token: 1)) {
        try Self.pieces(["<unk>", "a"], types: [2, 1], scores: [0, score])
      }
    }
  }

  /// CVE-2025-49847: a token whose length does not fit a signed 32-bit number.
  @Test func rejectsOverlongTokens() {
    let limit = Vocabulary.maximumTokenByteCount
    #expect(throws: TokenizerError.tokenTooLong(token: 0, byteCount: limit + 1, limit: limit)) {
      try Self.byteLevel([String(repeating: "a", count: limit + 1)])
    }
    let literal = Vocabulary.maximumLiteralByteCount
    #expect(throws: TokenizerError.tokenTooLong(token: 0, byteCount: literal + 1, limit: literal)) {
      try Self.byteLevel([String(repeating: "a", count: literal + 1)], types: [3])
    }
  }

  /// CVE-2025-52566: a prompt so long that the number of its tokens turns negative.
  @Test func rejectsOverlongTexts() throws {
    let tokenizer = try Self.byteLevel(["a"])
    let text = [UInt8](repeating: 0x61, count: 1 << 28 + 1)
    #expect(throws: TokenizerError.textTooLong(byteCount: text.count, limit: 1 << 28)) { try tokenizer.encode(text) }
  }

  @Test(arguments: ["", " ", "a", "a ", " a", "a  b", "ab c\u{200}", "a b c", "\u{1F600} a"])
  func rejectsMalformedMerges(merge: String) {
    #expect(throws: TokenizerError.malformedMerge(index: 1)) {
      try Self.byteLevel(["a", "b", "ab"], merges: ["a b", merge])
    }
  }

  @Test(arguments: ["a c", "c a", "b a", "\u{120} a", "a \u{120}"])
  func rejectsMergesOutsideTheVocabulary(merge: String) {
    #expect(throws: TokenizerError.mergeOutOfVocabulary(index: 0)) {
      try Self.byteLevel(["a", "b", "ab"], merges: [merge])
    }
  }

  /// `<0x-1>`, read as a number, was an index before a table.
  @Test(arguments: ["<0x-1>", "<0xG0>", "<0x0a>", "0x0A", "<0x0A", "<0x0A0>"])
  func rejectsMisspelledBytePieces(piece: String) {
    #expect(throws: TokenizerError.invalidBytePiece(token: 1, text: piece)) {
      try Self.pieces(["<unk>", piece], types: [2, 6])
    }
  }

  @Test func rejectsWhatLibsentencepieceCannotTake() {
    #expect(throws: TokenizerError.bytePieces(found: 1)) { try Self.pieces(["<unk>", "<0x0A>"], types: [2, 6]) }
    #expect(throws: TokenizerError.unknownPieces(found: 0)) { try Self.pieces(["a"], types: [1]) }
    #expect(throws: TokenizerError.unknownPieces(found: 2)) { try Self.pieces(["a", "b"], types: [2, 2]) }
    #expect(throws: TokenizerError.emptyToken(1)) { try Self.pieces(["<unk>", ""], types: [2, 1]) }
    #expect(throws: TokenizerError.zeroByteInToken(1)) { try Self.pieces(["<unk>", "a\0b"], types: [2, 4]) }
    #expect(throws: TokenizerError.duplicateToken(2, text: "a")) {
      try Self.pieces(["<unk>", "a", "a"], types: [2, 1, 1])
    }
  }

  @Test func namesWhatItKnows() {
    #expect(throws: TokenizerError.unknownModel("bert")) {
      try Vocabulary.Algorithm(model: "bert", preTokenizer: nil)
    }
    #expect(throws: TokenizerError.unknownPreTokenizer("tekken")) {
      try Vocabulary.Algorithm(model: "gpt2", preTokenizer: "tekken")
    }
    let message = TokenizerError.unknownPreTokenizer("tekken").description
    #expect(message.contains("'smollm', 'gpt-2', 'llama-bpe', 'qwen2'"))
  }

  /// A quadratic merge loop or a special token of the same letters would take hours here.
  @Test(.timeLimit(.minutes(2)), arguments: ["a", " ", "<", "é", "9"])
  func longRunsTakeNoLonger(character: String) throws {
    let fixture = try VocabularyFixture(Fixture.bytes("small-bpe.vocabulary"))
    let text = Array(String(repeating: character, count: 1 << 18).utf8)
    for preTokenizer in [PreTokenizer.smollm, .qwen2] {
      let tokenizer = try fixture.vocabulary(preTokenizer: preTokenizer).makeTokenizer()
      let ids = try tokenizer.encode(text, specials: .parse)
      #expect(ids.flatMap { tokenizer.bytes(of: $0) } == text)
    }
  }
}
