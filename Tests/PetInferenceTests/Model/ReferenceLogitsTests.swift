// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import Testing

/// Logits against `transformers`, computed in F32 by Tests/References/make_small_models.py.
@Suite struct ReferenceLogitsTests {
  static let models = [
    "llama-gqa", "llama-tied", "phi3-mha", "phi3-gqa-partial", "phi3-tied", "phi3-longrope", "phi3-longrope-partial",
    "phi3-window", "phi3-edge", "qwen2-gqa", "qwen2-tied",
  ]
  static let tolerance: Float = 2e-3

  struct Prompt: Decodable {
    struct Case: Decodable {
      /// "whole": one pass. "growing": row r is what generation sees when the sequence has r + 1 tokens.
      let kind: String
      let ids: [Int32]
      let rows: [Int]
    }
    let vocab: Int
    let cases: [Case]
  }

  struct Reference {
    let prompt: Prompt
    let logits: [Float]

    init(_ model: String) throws {
      prompt = try JSONDecoder().decode(Prompt.self, from: Fixtures.data("models/\(model)/prompt.json"))
      logits = try Fixtures.floats("models/\(model)/logits.f32")
    }
  }

  private func load(_ model: String) throws -> TransformerWeights {
    try TransformerWeights(file: GGUFFile(path: Fixtures.path("models/\(model)/model.gguf")))
  }

  /// All logits of `ids`, with the sequence cut into calls of `step` tokens.
  private func logits(
    _ weights: TransformerWeights, _ ids: [Int32], step: Int, variant: KernelVariant? = nil, threads: Int = 1,
    batchSize: Int = 128
  ) throws -> [[Float]] {
    let transformer = try Transformer(weights, threadCount: threads, batchSize: batchSize, variant: variant)
    let cache = KVCache(weights.configuration, capacity: ids.count, precision: .f32)
    var rows: [[Float]] = []
    for start in stride(from: 0, to: ids.count, by: step) {
      let part = ids[start..<min(start + step, ids.count)]
      try transformer.forward(part, cache: cache, logits: .each { _, logits in rows.append(Array(logits)) })
    }
    return rows
  }

  private func largestDifference(_ model: String, variant: KernelVariant?) throws -> Float {
    let reference = try Reference(model)
    let weights = try load(model)
    var expected = reference.logits[...]
    var worst: Float = 0
    for entry in reference.prompt.cases {
      let step = entry.kind == "growing" ? 1 : entry.ids.count
      let rows = try logits(weights, entry.ids, step: step, variant: variant)
      for row in entry.rows {
        for (ours, theirs) in zip(rows[row], expected.prefix(reference.prompt.vocab)) {
          let difference = abs(ours - theirs)
          #expect(difference.isFinite)
          worst = max(worst, difference)
        }
        expected = expected.dropFirst(reference.prompt.vocab)
      }
    }
    #expect(expected.isEmpty, "every reference row was compared")
    return worst
  }

  @Test(arguments: models, KernelVariant.allCases.filter(\.isAvailable))
  func agreesWithTransformers(_ model: String, _ variant: KernelVariant) throws {
    let worst = try largestDifference(model, variant: variant)
    #expect(worst < Self.tolerance, "\(model) with \(variant) kernels")
  }

  /// The result does not depend on how a sequence is cut into calls, on batches, or on threads: bit for bit.
  @Test(arguments: models) func doesNotDependOnCuts(_ model: String) throws {
    let weights = try load(model)
    let ids = try Reference(model).prompt.cases[0].ids
    let whole = try logits(weights, ids, step: ids.count)
    #expect(try logits(weights, ids, step: 1).last == whole.last)
    #expect(try logits(weights, ids, step: 7).last == whole.last)
    #expect(try logits(weights, ids, step: ids.count, threads: 3) == whole)
    #expect(try logits(weights, ids, step: ids.count, threads: 2, batchSize: 5) == whole)
  }

  @Test func longRopeRecomputesKeysAtTheSwitch() throws {
    let reference = try Reference("phi3-longrope")
    let weights = try load("phi3-longrope")
    let long = try #require(reference.prompt.cases.first { $0.ids.count > 64 })
    let whole = try logits(weights, long.ids, step: long.ids.count)
    // The switch falls inside the second call.
    #expect(try logits(weights, long.ids, step: 50).last == whole.last)
  }
}
