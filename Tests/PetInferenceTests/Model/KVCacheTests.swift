import PetInference
import Testing

/// What keys and values are kept in changes results a little, and nothing else.
@Suite struct KVCacheTests {
  /// The logits after a text of 200 tokens, cut into batches.
  private static func logits(
    _ precision: KVCache.Precision, threads: Int = 1, batchSize: Int = 128
  ) throws -> [Float] {
    let weights = try WeightLayoutTests.nano(.asInFile)
    let transformer = try Transformer(weights, threadCount: threads, batchSize: batchSize)
    let cache = KVCache(weights.configuration, capacity: 200, precision: precision)
    try transformer.forward(text[...], cache: cache)
    return Array(transformer.logits)
  }

  private static let text = (0..<200).map { Int32(($0 * 7919 + 13) % 4000) }

  /// Root of the mean square of the differences, against that of the logits.
  private static func distance(_ a: [Float], _ b: [Float]) -> Float {
    let square = zip(a, b).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    return (square / b.reduce(0) { $0 + $1 * $1 }).squareRoot()
  }

  /// Rounding to 11 bits costs 2^-12 of a value, to 8 bits with a shared scale 1/254 of the largest; activations that are
  /// rounded to 8 bits behind that make more of it.
  @Test(arguments: [(KVCache.Precision.f16, Float(0.01)), (.q8_0, Float(0.03))])
  func lessPrecisionCostsLittle(precision: KVCache.Precision, most: Float) throws {
    let distance = try Self.distance(Self.logits(precision), Self.logits(.f32))
    #expect(distance > 0 && distance < most, "\(distance)")
  }

  @Test(arguments: KVCache.Precision.allCases)
  func neitherThreadsNorCutsChangeABit(precision: KVCache.Precision) throws {
    let whole = try Self.logits(precision)
    #expect(try Self.logits(precision, threads: 3, batchSize: 7) == whole)
  }

  @Test func bytesPerPosition() throws {
    let configuration = try WeightLayoutTests.nano(.asInFile).configuration
    let elements = 2 * configuration.layerCount * configuration.keyValueWidth
    for (precision, bytes) in [
      (KVCache.Precision.f32, 4 * elements), (.f16, 2 * elements), (.q8_0, elements / 32 * 34),
    ] {
      #expect(KVCache(configuration, capacity: 1, precision: precision).bytesPerPosition == bytes)
    }
  }
}
