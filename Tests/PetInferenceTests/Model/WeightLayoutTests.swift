// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

/// Logits do not depend on the layout of the weights.
@Suite struct WeightLayoutTests {
  static let prompt: [Int32] = (0..<70).map { Int32(($0 * 7919 + 13) % 4000) }

  static func nano(_ layout: WeightLayout) throws -> TransformerWeights {
    try TransformerWeights(file: GGUFFile(path: Fixtures.shippedModel()), layout: layout)
  }

  /// The logits after a prompt and after each of some tokens that follow it one by one.
  static func logits(_ weights: TransformerWeights, threads: Int = 1, batchSize: Int = 128) throws -> [[Float]] {
    let transformer = try Transformer(weights, threadCount: threads, batchSize: batchSize)
    let cache = KVCache(weights.configuration, capacity: 128)
    try transformer.forward(prompt[...], cache: cache)
    var rows = [Array(transformer.logits)]
    for token in prompt[..<20].indices {
      try transformer.forward(prompt[token...token], cache: cache)
      rows.append(Array(transformer.logits))
    }
    return rows
  }

  @Test func interleavedWeightsGiveTheSameBits() throws {
    let rowMajor = try Self.logits(Self.nano(.rowMajor))
    let weights = try Self.nano(.interleaved)
    weights.waitUntilReady()
    #expect(try Self.logits(weights) == rowMajor)
    #expect(try Self.logits(weights, threads: 3, batchSize: 33) == rowMajor)
  }

  /// A reply that is under way while rows are copied does not change.
  @Test func copyingInTheBackgroundChangesNothing() throws {
    let rowMajor = try Self.logits(Self.nano(.rowMajor))
    for _ in 0..<5 { #expect(try Self.logits(Self.nano(.interleaved), threads: 2) == rowMajor) }
  }

  /// The thread that copies ends with the weights, wherever it is.
  @Test func weightsMayGoBeforeTheyAreCopied() throws {
    for _ in 0..<50 { _ = try Self.nano(.interleaved) }
  }
}
