// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import Testing

/// Mean hidden states against `transformers`, made by Tests/References/make_embeddings.py.
@Suite struct HiddenStateTests {
  private struct Reference: Decodable {
    let model: String
    let ids: [Int32]
    let vector: [Float]
  }

  private let references: [Reference]

  init() throws {
    references = try JSONDecoder().decode([Reference].self, from: Fixtures.data("embeddings/small.json"))
  }

  /// - Parameter step: tokens of each call, all of which know the length of the text.
  private func direction(
    _ reference: Reference, threads: Int = 1, batchSize: Int = 128, step: Int = 1000
  ) throws -> [Float]? {
    let weights = try TransformerWeights(
      file: GGUFFile(path: Fixtures.path("models/\(reference.model)/model.gguf")))
    let transformer = try Transformer(weights, threadCount: threads, batchSize: batchSize)
    let cache = KVCache(weights.configuration, capacity: reference.ids.count, precision: .f32)
    var mean = MeanState(width: weights.configuration.width)
    var seen: [Int] = []
    for start in stride(from: 0, to: reference.ids.count, by: step) {
      try transformer.forward(
        reference.ids[start..<min(start + step, reference.ids.count)], cache: cache,
        logits: .states { index, state in
          seen.append(start + index)
          mean.add(state)
        }, length: reference.ids.count)
    }
    #expect(seen == Array(reference.ids.indices), "every token once, in order")
    return mean.direction
  }

  @Test func agreesWithTransformers() throws {
    #expect(Set(references.map(\.model)) == Set(SmallModels.names))
    for reference in references {
      let ours = try #require(try direction(reference))
      try #require(ours.count == reference.vector.count)
      let worst = zip(ours, reference.vector).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
      #expect(worst < 2e-5, "\(reference.model)")
    }
  }

  @Test func doesNotDependOnCuts() throws {
    for reference in references {
      let whole = try direction(reference)
      #expect(try direction(reference, threads: 3) == whole)
      #expect(try direction(reference, threads: 2, batchSize: 5) == whole)
      #expect(try direction(reference, step: 7) == whole, "\(reference.model)")
    }
  }

  @Test func whatHasNoDirectionHasNone() {
    var mean = MeanState(width: 2)
    #expect(mean.direction == nil)
    [3, 4].withUnsafeBufferPointer { mean.add($0) }
    #expect(mean.direction == [0.6, 0.8])
    [Float.nan, 0].withUnsafeBufferPointer { mean.add($0) }
    #expect(mean.direction == nil)
  }
}
