// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

@Suite struct ForwardErrorsTests {
  private func transformer() throws -> Transformer {
    let path = Fixtures.path("models/llama-gqa/model.gguf")
    return try Transformer(TransformerWeights(file: GGUFFile(path: path)), threadCount: 1)
  }

  @Test func refusesWhatItCannotCompute() throws {
    let transformer = try transformer()
    let size = transformer.configuration.vocabularySize
    let cache = KVCache(transformer.configuration, capacity: 4)
    #expect(throws: InferenceError.emptyInput) { try transformer.forward([], cache: cache) }
    for token in [-1, Int32(size), .max, .min] {
      #expect(throws: InferenceError.tokenOutsideVocabulary(token, vocabularySize: size)) {
        try transformer.forward([token], cache: cache)
      }
    }
    #expect(throws: InferenceError.contextFull(needed: 5, capacity: 4)) {
      try transformer.forward([1, 2, 3, 4, 5], cache: cache)
    }
    #expect(cache.count == 0)
    try transformer.forward([1, 2, 3, 4], cache: cache)
    #expect(throws: InferenceError.contextFull(needed: 5, capacity: 4)) { try transformer.forward([5], cache: cache) }
  }

  @Test func stopsBetweenBatchesAndKeepsWhatIsDone() throws {
    let transformer = try Transformer(transformer().weights, threadCount: 1, batchSize: 4)
    let cache = KVCache(transformer.configuration, capacity: 16)
    var asked = 0
    #expect(throws: InferenceError.cancelled) {
      try transformer.forward([1, 2, 3, 4, 5, 6, 7, 8, 9], cache: cache) {
        asked += 1
        return asked == 3
      }
    }
    #expect(cache.tokens == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func truncationForgets() throws {
    let transformer = try transformer()
    let cache = KVCache(transformer.configuration, capacity: 16)
    try transformer.forward([1, 5, 7], cache: cache)
    let expected = Array(transformer.logits)
    try transformer.forward([9, 11], cache: cache)
    cache.truncate(to: 2)
    try transformer.forward([7], cache: cache)
    #expect(Array(transformer.logits) == expected)
    #expect(cache.commonPrefix(with: [1, 5, 8]) == 2)
  }
}
