// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

@Suite("What a model takes in memory")
struct TransformerMemoryTests {
  @Test(
    "the estimate of buffers is what they take",
    arguments: ["llama-gqa", "llama-tied", "phi3-mha", "phi3-gqa-partial", "phi3-longrope"], [1, 2, 5])
  func scratch(name: String, threads: Int) throws {
    let file = try GGUFFile(path: Fixtures.path("models/\(name)/model.gguf"))
    let configuration = try ModelConfiguration(file: file)
    let made = try Transformer(TransformerWeights(file: file), threadCount: threads)
    try #require(made.threadCount == threads)
    #expect(TransformerMemory.buffers(configuration, threadCount: threads) == made.bufferBytes)
    let memory = TransformerMemory(
      configuration, tensors: file.tensors.values, layout: .rowMajor, contextLength: 64, cachePrecision: .f16,
      threadCount: threads)
    #expect(memory.scratch > made.bufferBytes)
  }

  @Test(
    "weights as in the file are the file's; the cache is that of the context", arguments: ["llama-gqa", "phi3-mha"])
  func weights(name: String) throws {
    let file = try GGUFFile(path: Fixtures.path("models/\(name)/model.gguf"))
    let configuration = try ModelConfiguration(file: file)
    func memory(
      _ layout: WeightLayout, _ context: Int, _ precision: KVCache.Precision = .f16
    ) -> TransformerMemory {
      TransformerMemory(
        configuration, tensors: file.tensors.values, layout: layout, contextLength: context, cachePrecision: precision,
        threadCount: 1)
    }
    let weights = try TransformerWeights(file: file)
    #expect(memory(.rowMajor, 64).weights == weights.byteCount)
    #expect(memory(.interleaved, 64).weights >= weights.byteCount)
    for precision in KVCache.Precision.allCases {
      let cache = KVCache(configuration, capacity: 64, precision: precision)
      #expect(memory(.rowMajor, 64, precision).cache == 64 * cache.bytesPerPosition)
    }
    // No context is longer than the model's.
    #expect(memory(.rowMajor, .max).cache == memory(.rowMajor, configuration.contextLength).cache)
  }
}
