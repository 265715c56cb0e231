// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import PetInference
import Testing

/// Adapters that are applied while the model runs.
@Suite struct LiveAdapterTests {
  /// What llama.cpp gives, made by Tests/References/make_live_adapters.py.
  private struct Reference: Decodable {
    let adapter: String
    let base: String
    let ids: [Int32]
    let rows: [Int]
    let vocabulary: Int
  }

  private func weights(_ name: String) throws -> TransformerWeights {
    try TransformerWeights(file: GGUFFile(path: Fixtures.path("models/\(name)/model.gguf")))
  }

  @Test(arguments: KernelVariant.allCases.filter(\.isAvailable))
  func agreesWithLlama(_ variant: KernelVariant) throws {
    let cases = try JSONDecoder().decode([Reference].self, from: Fixtures.data("adapters/live/live.json"))
    var expected = try Fixtures.floats("adapters/live/live.f32")[...]
    for entry in cases {
      let weights = try weights(entry.base)
      let adapter = try AdapterWeights(path: Fixtures.path("adapters/live/\(entry.adapter).gguf"), for: weights)
      let transformer = try Transformer(weights, threadCount: 1, variant: variant)
      let cache = KVCache(weights.configuration, capacity: entry.ids.count, precision: .f32)
      var worst: Float = 0
      try transformer.forward(
        entry.ids[...], cache: cache, adapter: adapter,
        logits: .each { index, logits in
          guard entry.rows.contains(index) else { return }
          for (ours, theirs) in zip(logits, expected.prefix(entry.vocabulary)) {
            worst = max(worst, (ours - theirs).magnitude)
          }
          expected = expected.dropFirst(entry.vocabulary)
        })
      #expect(worst < ReferenceLogitsTests.tolerance, "\(entry.adapter)")
    }
    #expect(expected.isEmpty && cases.count == 4, "every reference row was compared")
  }

  /// The models that sequences with different adapters share; nil: the shipped one, quantized and interleaved.
  private static let shared = [nil, "llama-gqa", "llama-tied", "phi3-window", "phi3-longrope"]

  private func load(_ name: String?) throws -> TransformerWeights {
    guard let name else {
      let weights = try WeightLayoutTests.nano(.interleaved)
      weights.waitUntilReady()
      return weights
    }
    return try weights(name)
  }

  /// Random schedules of sequences with three adapters and none: no bit differs from what each gives alone, one token after the
  /// other on one thread. Rows without an adapter are compared with a transformer that has never seen one.
  @Test(arguments: shared, [(KVCache.Precision.f16, 1), (.q8_0, 3)])
  func togetherAsAlone(_ name: String?, _ kept: (precision: KVCache.Precision, threads: Int)) throws {
    let weights = try load(name)
    let adapters: [AdapterWeights?] = [
      nil, try RandomAdapter(rank: 3, seed: 2).load(for: weights),
      try RandomAdapter(rank: 17, type: PK_F16, seed: 3, targets: ["attn_", "output"]).load(for: weights),
      try RandomAdapter(rank: 8, type: PK_BF16, seed: 4, targets: ["ffn_", "token_embd"]).load(for: weights),
    ]
    let transformer = try Transformer(weights, threadCount: kept.threads, batchSize: 60)
    let size = Int32(weights.configuration.vocabularySize)
    for seed in 0..<(name == nil ? UInt64(2) : 6) {
      var random = RandomSource(seed: seed)
      let alone = try Transformer(weights, threadCount: 1)
      var texts: [[Int32]] = []
      var caches: [KVCache] = []
      var expected: [[[Float]]] = []
      for index in 0..<8 {
        let text = (0..<Int.random(in: 2...90, using: &random)).map { _ in Int32.random(in: 0..<size, using: &random) }
        let own = index % 4 == 0 ? try Transformer(weights, threadCount: 1) : alone
        let cache = KVCache(weights.configuration, capacity: 96, precision: kept.precision)
        expected.append(
          try text.indices.map { position in
            try own.forward(text[position...position], cache: cache, adapter: adapters[index % 4])
            return Array(own.logits)
          })
        texts.append(text)
        caches.append(KVCache(weights.configuration, capacity: 96, precision: kept.precision))
      }
      #expect(Set(expected[1...3].map { $0[0] }).count == 3)
      while texts.indices.contains(where: { caches[$0].count < texts[$0].count }) {
        var room = transformer.batchSize
        var chosen: [Int] = []
        let segments = texts.indices.shuffled(using: &random).compactMap { index -> StepSegment? in
          let done = caches[index].count
          guard done < texts[index].count, room > 0, Bool.random(using: &random) else { return nil }
          let most = min(texts[index].count - done, room, Bool.random(using: &random) ? 1 : 50)
          let count = Int.random(in: 1...most, using: &random)
          room -= count
          chosen.append(index)
          return StepSegment(caches[index], texts[index][done..<done + count], adapter: adapters[index % 4])
        }
        try transformer.step(segments)
        for (place, index) in chosen.enumerated() {
          let logits = try #require(transformer.logits(ofSegment: place))
          #expect(Array(logits) == expected[index][caches[index].count - 1], "seed \(seed), sequence \(index)")
        }
      }
    }
  }

  /// However a text is cut and on however many threads, the bits are the same.
  @Test(arguments: ["llama-gqa", "phi3-gqa-partial", "phi3-longrope"])
  func doesNotDependOnCuts(_ name: String) throws {
    let weights = try weights(name)
    let adapter = try RandomAdapter(rank: 5).load(for: weights)
    let ids = try ReferenceLogitsTests.Reference(name).prompt.cases[0].ids
    func logits(threads: Int, batchSize: Int = 128, step: Int = 1000) throws -> [Float] {
      let transformer = try Transformer(weights, threadCount: threads, batchSize: batchSize)
      let cache = KVCache(weights.configuration, capacity: ids.count)
      for start in stride(from: 0, to: ids.count, by: step) {
        try transformer.forward(ids[start..<min(start + step, ids.count)], cache: cache, adapter: adapter)
      }
      return Array(transformer.logits)
    }
    let whole = try logits(threads: 1)
    #expect(try logits(threads: 3) == whole)
    #expect(try logits(threads: 2, batchSize: 5) == whole)
    #expect(try logits(threads: 1, step: 1) == whole)
    #expect(try logits(threads: 4, step: 7) == whole)
  }

  /// What was cached with one adapter is of no use to another.
  @Test func sequencesBelongToAnAdapter() throws {
    let weights = try weights("llama-gqa")
    let transformer = try Transformer(weights, threadCount: 1)
    let (one, two) = (try RandomAdapter().load(for: weights), try RandomAdapter().load(for: weights))
    #expect(one.identity != two.identity && one.identity > 0 && two.identity > 0)
    let cache = KVCache(weights.configuration, capacity: 16)
    try transformer.forward([1, 2, 3], cache: cache, adapter: one)
    #expect(transformer.reusablePrefix(of: [1, 2, 4], in: cache, adapter: one) == 2)
    #expect(transformer.reusablePrefix(of: [1, 2, 4], in: cache, adapter: two) == 0)
    #expect(transformer.reusablePrefix(of: [1, 2, 4], in: cache) == 0)
    for other in [nil, two] {
      #expect(throws: InferenceError.otherAdapter) { try transformer.forward([4], cache: cache, adapter: other) }
      #expect(throws: InferenceError.otherAdapter) {
        try transformer.step([StepSegment(cache, [4], adapter: other)])
      }
    }
    cache.truncate(to: 0)
    try transformer.forward([1, 2, 3], cache: cache)
    #expect(transformer.reusablePrefix(of: [1, 2, 4], in: cache) == 2)
  }

  @Test func modelsOfAnotherShapeAreRefused() throws {
    let (one, two) = (try weights("phi3-mha"), try weights("phi3-tied"))
    let adapter = try RandomAdapter().load(for: one)
    let transformer = try Transformer(two, threadCount: 1)
    let cache = KVCache(two.configuration, capacity: 4)
    #expect(throws: InferenceError.adapterOfOtherModel(path: adapter.path)) {
      try transformer.forward([1], cache: cache, adapter: adapter)
    }
    #expect(throws: InferenceError.adapterOfOtherModel(path: adapter.path)) {
      try transformer.step([StepSegment(cache, [1], adapter: adapter)])
    }
  }

  /// Damage is found when the adapter is loaded, in whichever factor it is.
  @Test(arguments: [0, 1]) func valuesThatAreNotFiniteAreRefused(_ factor: Int) throws {
    let weights = try weights("llama-tied")
    let scratch = try ScratchFolder()
    let path = scratch.path + "/lora.gguf"
    try RandomAdapter(targets: ["blk.1.ffn_down"]).write(for: weights.file, to: path)
    let file = try GGUFFile(path: path)
    let tensor = try #require(file.tensors[file.tensorNames[factor]])
    var bytes = try Data(contentsOf: URL(filePath: path))
    withUnsafeBytes(of: Float.nan) {
      bytes.replaceSubrange(tensor.bytes.lowerBound + 8..<tensor.bytes.lowerBound + 12, with: $0)
    }
    let damaged = try scratch.write(Array(bytes), to: "damaged.gguf")
    #expect(throws: AdapterError(path: damaged, reason: .notFinite(tensor: tensor.name, element: 2))) {
      try AdapterWeights(path: damaged, for: weights)
    }
  }

  @Test func adaptersOfOtherModelsAreRefused() throws {
    let path = Fixtures.path("adapters/live/phi3-all.gguf")
    #expect(throws: AdapterError(path: path, reason: .wrongArchitecture("phi3", expected: "llama"))) {
      try AdapterWeights(path: path, for: weights("llama-gqa"))
    }
    #expect {
      try AdapterWeights(path: path, for: weights("phi3-mha"))
    } throws: { error in
      if case .wrongShape = (error as? AdapterError)?.reason { true } else { false }
    }
  }

  /// Quantized factors become F16, but not where F16 has no such numbers.
  @Test func largeFactorsKeepTheirRange() throws {
    let weights = try weights("llama-gqa")
    let scratch = try ScratchFolder()
    let target = "blk.1.attn_q.weight"
    func logits(_ type: pk_type, _ a: [UInt8]) throws -> [Float] {
      let path = scratch.path + "/lora.gguf"
      let writer = try GGUFWriter(
        path: path,
        metadata: [
          ("general.architecture", .text("llama")), ("general.type", .text("adapter")), ("adapter.type", .text("lora")),
          ("adapter.lora.alpha", .float32(1)),
        ],
        tensors: [
          GGUFTensorDeclaration(name: target + ".lora_a", dimensions: [64, 1], type: type),
          GGUFTensorDeclaration(name: target + ".lora_b", dimensions: [1, 64], type: PK_F32),
        ])
      try a.withUnsafeBytes { try writer.append($0, toTensor: 0) }
      try [Float](repeating: 1e-5, count: 64).withUnsafeBytes { try writer.append($0, toTensor: 1) }
      try writer.finish()
      let transformer = try Transformer(weights, threadCount: 1)
      try transformer.forward(
        [1, 2, 3], cache: KVCache(weights.configuration, capacity: 3),
        adapter: AdapterWeights(path: path, for: weights))
      return Array(transformer.logits)
    }
    let codes = (0..<64).map { Int8($0 * 4 - 127) }
    let scale = withUnsafeBytes(of: Float16(1000).bitPattern, Array.init)
    let blocks = [0, 32].flatMap { start in scale + codes[start..<start + 32].map { UInt8(bitPattern: $0) } }
    let plain = try logits(PK_F32, codes.map { Float($0) * 1000 }.withUnsafeBytes(Array.init))
    #expect(try logits(PK_Q8_0, blocks) == plain)
    #expect(plain.allSatisfy { $0.isFinite })
  }

  /// An interleaved model is the model.
  @Test func interleavedModelsTakeTheSameAdapters() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/interleaved.gguf"
    let plain = try GGUFFile(path: Fixtures.shippedModel())
    _ = try InterleavedFileWriter(plain).write(to: path, sourceHash: String(repeating: "0", count: 64)) { _ in }
    let (adapter, ids) = (RandomAdapter(rank: 6, type: PK_F16), WeightLayoutTests.prompt)
    let rows = try [plain, GGUFFile(path: path)].map { file in
      let weights = try TransformerWeights(file: file)
      let lora = scratch.path + "/lora.gguf"
      try adapter.write(for: plain, to: lora)
      let transformer = try Transformer(weights, threadCount: 2)
      try transformer.forward(
        ids[...], cache: KVCache(weights.configuration, capacity: 128),
        adapter: AdapterWeights(path: lora, for: weights))
      return Array(transformer.logits)
    }
    #expect(rows[0] == rows[1])
  }
}
