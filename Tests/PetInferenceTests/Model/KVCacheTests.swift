// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

/// What keys and values are kept in changes results a little, and nothing else.
@Suite struct KVCacheTests {
  /// The logits after each of so many tokens, which are cut into batches.
  private static func logits(
    _ weights: TransformerWeights, _ precision: KVCache.Precision, tokens: Int, threads: Int = 1, batchSize: Int = 128
  ) throws -> [[Float]] {
    let transformer = try Transformer(weights, threadCount: threads, batchSize: batchSize)
    let cache = KVCache(weights.configuration, capacity: tokens, precision: precision)
    let text = (0..<tokens).map { Int32(($0 * 7919 + 13) % min(4000, weights.configuration.vocabularySize)) }
    var rows: [[Float]] = []
    try transformer.forward(text[...], cache: cache, logits: .each { _, logits in rows.append(Array(logits)) })
    return rows
  }

  /// Root of the mean square of the differences, against that of the logits.
  private static func distance(_ a: [Float], _ b: [Float]) -> Float {
    let square = zip(a, b).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    return (square / b.reduce(0) { $0 + $1 * $1 }).squareRoot()
  }

  /// On weights that are not quantized, so that activations are not either: those would round what differs in the last bit to what
  /// differs in the eighth, on each CPU in another place.
  ///
  /// The error of a rounding is spread evenly over a step, so its root mean square is step / sqrt(12): a step is 2^-10 of a number
  /// between 1 and 2, about 2^-10 / 1.5 of any; and 1/127 of the largest of 32 numbers, which is 2.5 times their root mean square
  /// at most if they are normally distributed. An error of values is one of attention. One of keys is as many times larger as
  /// scores vary: 1.6^2, as the models are made (Tests/References/small_models.py). Roundings are independent, so squares add up
  /// over keys, values and layers; what bypasses attention has no error.
  @Test(
    arguments: [(KVCache.Precision.f16, 0x1p-10 / 1.5), (.q8_0, 2.5 / 127)] as [(KVCache.Precision, Float)],
    ["llama-gqa", "llama-tied", "phi3-mha", "phi3-gqa-partial"])
  func lessPrecisionCostsLittle(_ kept: (precision: KVCache.Precision, step: Float), model: String) throws {
    let weights = try TransformerWeights(file: GGUFFile(path: Fixtures.path("models/\(model)/model.gguf")))
    let exact = try Self.logits(weights, .f32, tokens: 100)
    let distances = try zip(Self.logits(weights, kept.precision, tokens: 100), exact).map(Self.distance).sorted()
    let median = distances[distances.count / 2]
    let scores: Float = 1.6 * 1.6
    let squares = Float(weights.configuration.layerCount) * (1 + scores * scores)
    let most = kept.step / Float(12).squareRoot() * squares.squareRoot()
    #expect(median > most / 10 && median < most, "\(median) of \(most)")
  }

  @Test(arguments: KVCache.Precision.allCases)
  func neitherThreadsNorCutsChangeABit(precision: KVCache.Precision) throws {
    let nano = try WeightLayoutTests.nano(.rowMajor)
    let whole = try Self.logits(nano, precision, tokens: 70)
    #expect(try Self.logits(nano, precision, tokens: 70, threads: 3, batchSize: 7) == whole)
  }

  @Test func bytesPerPosition() throws {
    let configuration = try WeightLayoutTests.nano(.rowMajor).configuration
    let elements = 2 * configuration.layerCount * configuration.keyValueWidth
    for (precision, bytes) in [
      (KVCache.Precision.f32, 4 * elements), (.f16, 2 * elements), (.q8_0, elements / 32 * 34),
    ] {
      #expect(KVCache(configuration, capacity: 1, precision: precision).bytesPerPosition == bytes)
    }
  }
}
