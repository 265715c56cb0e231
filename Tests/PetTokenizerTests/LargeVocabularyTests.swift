// SPDX-License-Identifier: Apache-2.0
import CEventCounter
import CInstrumentation
import Foundation
import PetInference
import PetLanguage
import PetTokenizer
import Testing

/// A made-up vocabulary of 150,000 tokens, as large as the largest published ones of its kind, in a model file: ids are
/// those that the definition of byte pairs gives, worked out here with dictionaries of strings.
@Suite struct LargeVocabularyTests {
  @Test(arguments: [false, true])
  func idsAreThoseOfTheDefinition(shuffled: Bool) throws {
    let made = SyntheticVocabulary(tokenCount: 150_000, shuffled: shuffled, seed: 3)
    let file = try made.write()
    let tokenizer = try Vocabulary(file: GGUFFile(path: file.path)).makeTokenizer()
    try #require(tokenizer.vocabularySize == 150_000)
    var random = SplitMix64(state: 11)
    var seen: Set<Int32> = []
    for _ in 0..<2_000 {
      let word = made.word(&random)
      let ids = try tokenizer.encode(word)
      #expect(ids == made.reference(word), "\(word)")
      #expect(tokenizer.decode(ids) == word)
      seen.formUnion(ids)
    }
    #expect(seen.count > 300, "too few tokens to say anything")
  }

  @Test func everyTokenStandsForItsBytes() throws {
    let made = SyntheticVocabulary(tokenCount: 20_000, shuffled: true, seed: 5)
    let file = try made.write()
    let tokenizer = try Vocabulary(file: GGUFFile(path: file.path)).makeTokenizer()
    for (id, bytes) in made.tokens.enumerated() {
      #expect(tokenizer.bytes(of: Int32(id)) == bytes)
      #expect(tokenizer.id(ofBytes: bytes) == Int32(id))
    }
    #expect(tokenizer.id(ofBytes: []) == nil)
    #expect(tokenizer.id(ofBytes: Array("no such token".utf8)) == nil)
    #expect(tokenizer.bytes(of: -1).isEmpty && tokenizer.bytes(of: 20_000).isEmpty)
  }

  /// What was read from a file lives on when the file object is gone, and when the file has been replaced.
  @Test func theMappingLivesAsLongAsItsUsers() throws {
    let made = SyntheticVocabulary(tokenCount: 5_000, shuffled: true, seed: 7)
    var file: TemporaryModel? = try made.write()
    let path = try #require(file?.path)
    let tokenizer = try Vocabulary(file: GGUFFile(path: path)).makeTokenizer()
    file = nil
    var random = SplitMix64(state: 13)
    for _ in 0..<100 {
      let word = made.word(&random)
      #expect(try tokenizer.decode(tokenizer.encode(word)) == word)
    }
  }

  #if canImport(Glibc)
    /// Tokens and merges stay where they are mapped: eight times as many take larger arrays of numbers, not more of them.
    @Test(.disabled(if: is_sanitized(), "sanitizers have an allocator of their own")) func noStringIsCopied() throws {
      let allocations = try [2_500, 20_000].map { tokens in
        let file = try SyntheticVocabulary(tokenCount: tokens, shuffled: true, seed: 9).write()
        let isCounting = event_counter_start()
        let tokenizer = try Vocabulary(file: GGUFFile(path: file.path)).makeTokenizer()
        let counts = event_counter_stop()
        #expect(isCounting && tokenizer.vocabularySize == tokens)
        return counts.allocations
      }
      #expect(allocations[0] > 0 && allocations[1] <= allocations[0] + 16, "\(allocations)")
    }
  #endif

  /// Of equal ordinary tokens the first counts; a control token of the same spelling is another matter.
  @Test func ofEqualTokensTheFirstCounts() throws {
    let tokens = ["a", "b", "ab", "ab", "c", "abc", "abc"]
    let vocabulary = try Vocabulary(
      algorithm: .byteLevelBPE(.gpt2), tokens: TokenTable(tokens.map(\.utf8)), types: [1, 1, 3, 1, 1, 1, 1],
      merges: TokenTable(["a b", "ab c"].map(\.utf8)))
    let tokenizer = try vocabulary.makeTokenizer()
    #expect(try tokenizer.encode("ab") == [3])
    #expect(try tokenizer.encode("abc") == [5])
    #expect(try tokenizer.encode("ab", specials: .parse) == [2])
  }

  /// A token that no byte-level spelling can give stands for itself, and is never the result of text.
  @Test func tokensOutsideTheAlphabetAreKeptAsSpelled() throws {
    let tokens = ["a", "b", "a b", "\u{1F600}", "ab"]
    let vocabulary = try Vocabulary(
      algorithm: .byteLevelBPE(.llamaBPE), tokens: TokenTable(tokens.map(\.utf8)),
      merges: TokenTable(["a b"].map(\.utf8)))
    let tokenizer = try vocabulary.makeTokenizer()
    #expect(tokenizer.bytes(of: 2) == Array("a b".utf8))
    #expect(tokenizer.bytes(of: 3) == Array("\u{1F600}".utf8))
    #expect(try tokenizer.encode("a b") == [0, 1])
    #expect(try tokenizer.encode("ab\u{1F600}") == [4])
    #expect(tokenizer.id(ofBytes: Array("\u{1F600}".utf8)) == nil)
  }
}

/// Byte tokens and random joins of tokens, at most 16 bytes long, in the alphabet of GPT-2.
struct SyntheticVocabulary {
  /// The bytes of each token, by id.
  private(set) var tokens: [[UInt8]]
  /// In the order of their ranks.
  private var merges: [(left: [UInt8], right: [UInt8])] = []
  private let ids: [[UInt8]: Int32]
  private let ranks: [[[UInt8]]: Int]

  /// Letters that words are made of: fewer than there are, so that words hold merges.
  private static let letters = Array("abcdefgh".utf8)

  /// - Parameter shuffled: ids in any order, rather than byte tokens first and then one for each merge.
  init(tokenCount: Int, shuffled: Bool, seed: UInt64) {
    var random = SplitMix64(state: seed)
    var tokens = (UInt8.min...UInt8.max).map { [$0] }
    var usable = Self.letters.map { [$0] }
    var known = Set(tokens)
    var merges: [(left: [UInt8], right: [UInt8])] = []
    while tokens.count < tokenCount {
      // Short ones more often: they are what long ones are made of.
      let left = usable[random.next(below: 1 + random.next(below: usable.count))]
      let right = usable[random.next(below: 1 + random.next(below: usable.count))]
      guard left.count + right.count <= 16 else { continue }
      merges.append((left, right))
      guard known.insert(left + right).inserted else { continue }
      usable.append(left + right)
      tokens.append(left + right)
    }
    if shuffled {
      for index in stride(from: tokens.count - 1, to: 0, by: -1) {
        tokens.swapAt(index, random.next(below: index + 1))
      }
    }
    self.tokens = tokens
    self.merges = merges
    ids = Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($1, Int32($0)) })
    ranks = Dictionary(merges.enumerated().map { ([$1.left, $1.right], $0) }) { first, _ in first }
  }

  func word(_ random: inout SplitMix64) -> String {
    let length = 1 + random.next(below: 40)
    return String(
      decoding: (0..<length).map { _ in Self.letters[random.next(below: Self.letters.count)] }, as: UTF8.self)
  }

  /// Byte pairs by their definition: as long as there is one, the pair of lowest rank is joined, the leftmost first.
  func reference(_ word: String) -> [Int32] {
    var symbols = word.utf8.map { [$0] }
    while true {
      let pairs = symbols.indices.dropLast().compactMap { index in
        ranks[[symbols[index], symbols[index + 1]]].map { (rank: $0, index: index) }
      }
      guard let best = pairs.min(by: { ($0.rank, $0.index) < ($1.rank, $1.index) }) else { break }
      symbols[best.index] += symbols.remove(at: best.index + 1)
    }
    return symbols.compactMap { ids[$0] }
  }

  /// A model file with this vocabulary and no tensors.
  func write() throws -> TemporaryModel {
    let file = try TemporaryModel()
    let writer = try GGUFWriter(
      path: file.path,
      metadata: [
        ("tokenizer.ggml.model", .text("gpt2")), ("tokenizer.ggml.pre", .text("gpt-2")),
        ("tokenizer.ggml.tokens", .texts(tokens.map(Self.spelled))),
        ("tokenizer.ggml.token_type", .int32s(tokens.map { _ in 1 })),
        ("tokenizer.ggml.merges", .texts(merges.map { Self.spelled($0.left) + [0x20] + Self.spelled($0.right) })),
      ],
      tensors: [])
    try writer.finish()
    return file
  }

  /// GPT-2's alphabet, by its definition: printable Latin-1 as it is, the others in order from U+0100.
  private static func spelled(_ bytes: [UInt8]) -> [UInt8] {
    String(String.UnicodeScalarView(bytes.compactMap { alphabet[Int($0)] })).utf8.map { $0 }
  }

  private static let alphabet: [Unicode.Scalar?] = {
    var next: UInt32 = 0x100
    return (UInt32(0)..<256).map { byte in
      if (0x21...0x7E).contains(byte) || (0xA1...0xAC).contains(byte) || byte >= 0xAE { return Unicode.Scalar(byte) }
      defer { next += 1 }
      return Unicode.Scalar(next)
    }
  }()
}

/// A model file's place, gone at the end of the test.
final class TemporaryModel {
  private let folder: URL
  var path: String { folder.appending(path: "model.gguf").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
