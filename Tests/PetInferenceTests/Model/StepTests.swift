// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

/// Sequences that share steps: nothing of one is seen in another, and no bit differs from what each gives alone.
@Suite struct StepTests {
  /// What a sequence reads, and the logits after its last token of each cut.
  private struct Sequence {
    let tokens: [Int32]
    let cache: KVCache
    var alone: [Int: [Float]] = [:]
  }

  private func model(_ name: String?) throws -> TransformerWeights {
    guard let name else {
      let weights = try WeightLayoutTests.nano(.interleaved)
      weights.waitUntilReady()
      return weights
    }
    return try TransformerWeights(
      file: GGUFFile(path: Fixtures.path("models/\(name)/model.gguf")), layout: .rowMajor)
  }

  /// Random schedules: in each step some of the sequences, with one token or a piece of their prompt.
  @Test(
    arguments: [nil, "llama-gqa", "phi3-window", "phi3-longrope"],
    [(KVCache.Precision.f16, 1), (.q8_0, 3)])
  func togetherAsAlone(_ name: String?, _ kept: (precision: KVCache.Precision, threads: Int)) throws {
    let weights = try model(name)
    let configuration = weights.configuration
    let transformer = try Transformer(weights, threadCount: kept.threads, batchSize: 48)
    for seed in 0..<(name == nil ? UInt64(4) : 12) {
      var random = RandomSource(seed: seed)
      var sequences = (0..<7).map { _ in
        let length = Int.random(in: 2...90, using: &random)
        let tokens = (0..<length).map { _ in
          Int32.random(in: 0..<Int32(configuration.vocabularySize), using: &random)
        }
        return Sequence(
          tokens: tokens, cache: KVCache(configuration, capacity: 96, precision: kept.precision))
      }
      for index in sequences.indices {
        let cache = KVCache(configuration, capacity: 96, precision: kept.precision)
        for position in sequences[index].tokens.indices {
          try transformer.forward(sequences[index].tokens[position...position], cache: cache)
          sequences[index].alone[position + 1] = Array(transformer.logits)
        }
      }
      while sequences.contains(where: { $0.cache.count < $0.tokens.count }) {
        var room = transformer.batchSize
        let segments = sequences.indices.shuffled(using: &random).compactMap { index -> (Int, StepSegment)? in
          let (done, all) = (sequences[index].cache.count, sequences[index].tokens.count)
          guard done < all, room > 0, Bool.random(using: &random) else { return nil }
          let most = min(all - done, room, Bool.random(using: &random) ? 1 : 30)
          let count = Int.random(in: 1...most, using: &random)
          room -= count
          let tokens = sequences[index].tokens[done..<done + count]
          return (index, StepSegment(sequences[index].cache, tokens, logitsCount: Int.random(in: 0..<4)))
        }
        guard !segments.isEmpty else { continue }
        try transformer.step(segments.map(\.1))
        for (place, (index, segment)) in segments.enumerated() {
          // Where LongRoPE turns all keys anew, earlier logits are those of a longer sequence.
          for back in 0..<segment.logitsCount where back == 0 || name != "phi3-longrope" {
            let logits = transformer.logits(ofSegment: place, back: back).map(Array.init)
            #expect(logits == sequences[index].alone[segment.cache.count - back], "seed \(seed)")
          }
          #expect(transformer.logits(ofSegment: place, back: segment.logitsCount) == nil)
        }
      }
    }
  }

  @Test func whatCannotBeComputedTogetherIsRefused() throws {
    let weights = try model("phi3-mha")
    let transformer = try Transformer(weights, threadCount: 1, batchSize: 4)
    func cache() throws -> KVCache { KVCache(weights.configuration, capacity: 3) }
    func refusal(_ segments: [StepSegment]) -> InferenceError? {
      #expect(throws: InferenceError.self) { try transformer.step(segments) }
    }
    let (one, two) = (try cache(), try cache())
    #expect(refusal([StepSegment(one, [1, 2, 3]), StepSegment(two, [1, 2])]) == .batchFull(tokens: 5, capacity: 4))
    #expect(refusal([StepSegment(one, [1]), StepSegment(one, [2])]) == .sharedSequence)
    #expect(refusal([StepSegment(one, [1]), StepSegment(two, [])]) == .emptyInput)
    #expect(refusal([StepSegment(one, [1]), StepSegment(two, [1, 2, 3, 4])]) == .batchFull(tokens: 5, capacity: 4))
    #expect(refusal([StepSegment(two, [1, 2, 3, 4])]) == .contextFull(needed: 4, capacity: 3))
    let size = weights.configuration.vocabularySize
    #expect(
      refusal([StepSegment(one, [1]), StepSegment(two, [Int32(size)])])
        == .tokenOutsideVocabulary(Int32(size), vocabularySize: size))
    #expect(one.count == 0 && two.count == 0)
    try transformer.step([])
    #expect(transformer.logits(ofSegment: 0) == nil)
  }

  @Test func aSegmentOfASequenceThatHasChangedSinceIsRefused() throws {
    let weights = try model("phi3-mha")
    let transformer = try Transformer(weights, threadCount: 1)
    let cache = KVCache(weights.configuration, capacity: 16)
    try transformer.forward([1, 2, 3], cache: cache)
    let segment = StepSegment(cache, [5])
    cache.truncate(to: 0)
    #expect(throws: InferenceError.sharedSequence) { try transformer.step([segment]) }
    #expect(cache.count == 0)
    try transformer.step([StepSegment(cache, [5])])
    #expect(cache.tokens == [5])
  }
}
