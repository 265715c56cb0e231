// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetFiles
import PetInference
import Testing

/// Files that are cut short while they are mapped, in processes of their own: one that has lost something asks more often.
@Suite struct LostPagesTests {
  private static let identity = [UInt8](repeating: 7, count: 32)

  private static func model() throws -> TemporaryFile {
    try TemporaryFile([UInt8](Fixtures.data("models/llama-gqa/model.gguf")))
  }

  @Test func weightsThatAreGoneAreAnErrorAndLeaveNoKeysBehind() async {
    await #expect(processExitsWith: .success) { try LostPagesTests.loseWeights() }
  }

  @Test func keysThatAreGoneAreAnError() async {
    await #expect(processExitsWith: .success) { try LostPagesTests.loseKeys() }
  }

  @Test func copiesOfKeysThatAreGoneAreAnErrorAndAreNotWritten() async {
    await #expect(processExitsWith: .success) { try LostPagesTests.copyLostKeys() }
  }

  @Test func keysThatAreGoneAreNotFoundAgain() async {
    await #expect(processExitsWith: .success) { try LostPagesTests.forgetLostKeys() }
  }

  private static func loseWeights() throws {
    MappedFile.surviveLostPages()
    let file = try model()
    let transformer = try Transformer(TransformerWeights(file: GGUFFile(path: file.path)), threadCount: 2)
    let cache = KVCache(transformer.configuration, capacity: 16)
    try transformer.forward([1, 5], cache: cache)
    let mapping = transformer.weights.file.mapping
    #expect(!mapping.isLost)
    #expect(truncate(file.path, 8192) == 0)
    for _ in 0..<2 {
      #expect(throws: InferenceError.fileLost(path: file.path)) { try transformer.forward([9], cache: cache) }
      #expect(throws: InferenceError.fileLost(path: file.path)) { try transformer.step([StepSegment(cache, [9])]) }
    }
    #expect(mapping.isLost && cache.count == 2)
    // Others are none the worse.
    let other = try model()
    #expect(try GGUFFile(path: other.path).mapping.isLost == false)
  }

  private static func loseKeys() throws {
    MappedFile.surviveLostPages()
    let file = try model()
    let transformer = try Transformer(TransformerWeights(file: GGUFFile(path: file.path)), threadCount: 1)
    let pool = KVBlockPool(KVLayout(transformer.configuration, .f16))
    let cache = KVCache(pool, capacity: 128)
    try transformer.forward(ArraySlice((0..<80).map { Int32($0) }), cache: cache)
    let snapshot = try TemporaryFile([], name: "snapshot")
    try KVSnapshot.write(
      cache.prefix, attaching: [], identity: identity, layout: pool.layout, to: snapshot.path)
    let restored = try KVSnapshot(
      path: snapshot.path, identity: identity, pool: pool, vocabularySize: transformer.configuration.vocabularySize
    )
    let copy = KVCache(pool, capacity: 128)
    copy.adopt(restored.prefix)
    #expect(truncate(snapshot.path, 4096) == 0)
    #expect(throws: InferenceError.fileLost(path: snapshot.path)) { try transformer.forward([9], cache: copy) }
    #expect(copy.count == 80)
    // The one that was computed here goes on.
    try transformer.forward([9], cache: cache)
  }

  /// A sequence that was computed, and another that goes on with its keys and values from a file.
  private struct Sequences {
    let transformer: Transformer
    let computed: KVCache
    let mapped: KVCache
    let snapshot: TemporaryFile

    init(_ length: Int32) throws {
      let file = try GGUFFile(path: Fixtures.path("models/llama-gqa/model.gguf"))
      transformer = try Transformer(TransformerWeights(file: file), threadCount: 1)
      let pool = KVBlockPool(KVLayout(transformer.configuration, .f16))
      computed = KVCache(pool, capacity: 128)
      mapped = KVCache(pool, capacity: 128)
      snapshot = try TemporaryFile([], name: "snapshot")
      try transformer.forward(ArraySlice(0..<length), cache: computed)
      try KVSnapshot.write(
        computed.prefix, attaching: [], identity: identity, layout: pool.layout, to: snapshot.path)
      let restored = try KVSnapshot(
        path: snapshot.path, identity: identity, pool: pool, vocabularySize: transformer.configuration.vocabularySize)
      mapped.adopt(restored.prefix)
    }

    func cut() { #expect(truncate(snapshot.path, 4096) == 0) }
  }

  private static func copyLostKeys() throws {
    MappedFile.surviveLostPages()
    // The only block is copied, to be written to.
    let short = try Sequences(20)
    short.cut()
    let lost = InferenceError.fileLost(path: short.snapshot.path)
    #expect(throws: lost) { try short.transformer.forward([9], cache: short.mapped) }
    #expect(short.mapped.count == 20)
    // The last block is copied, to be cleared. With a token more it is in memory already, and those before it are not.
    for more in [[], [9]] as [[Int32]] {
      let long = try Sequences(80)
      if !more.isEmpty { try long.transformer.forward(more[...], cache: long.mapped) }
      long.cut()
      let lost = InferenceError.fileLost(path: long.snapshot.path)
      let folder = URL(filePath: long.snapshot.path).deletingLastPathComponent().path
      #expect(throws: lost) {
        try KVSnapshot.write(
          long.mapped.prefix, attaching: [], identity: identity, layout: long.mapped.pool.layout, to: folder + "/again")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["snapshot"])
    }
  }

  private static func forgetLostKeys() throws {
    MappedFile.surviveLostPages()
    let sequences = try Sequences(80)
    let pool = sequences.mapped.pool
    // Room for these three blocks: those that are forgotten must not count.
    let prefixes = PrefixCache(pool, budget: 3 * pool.layout.blockBytes)
    func found() -> Int { prefixes.longestPrefix(of: sequences.computed.tokens[...], origin: KVOrigin()).count }
    prefixes.insert(sequences.mapped.prefix)
    #expect(found() == 80)
    sequences.cut()
    let lost = InferenceError.fileLost(path: sequences.snapshot.path)
    #expect(throws: lost) { try sequences.transformer.forward([9], cache: sequences.mapped) }
    #expect(found() == 0)
    prefixes.insert(sequences.computed.prefix)
    #expect(found() == 80)
  }
}
