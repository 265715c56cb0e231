import Foundation
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
}
