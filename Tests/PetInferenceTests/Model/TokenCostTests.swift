import CEventCounter
import CInstrumentation
import PetInference
import Testing

#if canImport(Glibc)
  /// What a token costs beside arithmetic: nothing.
  @Suite(.disabled(if: is_sanitized(), "sanitizers have an allocator of their own")) struct TokenCostTests {
    @Test(
      arguments: [(TransformerWeights.Layout.asInFile, KVCache.Precision.q8_0), (.interleaved, .f16)],
      [(1, false), (1, true), (2, false), (2, true)])
    func aTokenAllocatesNothingAndCountsNoReferences(
      _ kept: (layout: TransformerWeights.Layout, precision: KVCache.Precision), _ use: (threads: Int, isAdapted: Bool)
    ) throws {
      let weights = try WeightLayoutTests.nano(kept.layout)
      weights.waitUntilReady()
      let transformer = try Transformer(weights, threadCount: use.threads)
      let cache = KVCache(weights.configuration, capacity: 128, precision: kept.precision)
      let tokens = WeightLayoutTests.prompt
      let adapter = use.isAdapted ? try RandomAdapter().load(for: weights) : nil
      try transformer.forward(tokens[...], cache: cache, adapter: adapter)
      // Tables of positions grow to twice their length.
      try transformer.forward(tokens[..<1], cache: cache, adapter: adapter)
      let token = tokens[5...5]
      // What the runtime makes once for a thread, where a block is full too.
      let other = KVCache(weights.configuration, capacity: 128, precision: kept.precision)
      for _ in 0..<64 { try transformer.forward(token, cache: other, adapter: adapter) }
      let isCounting = event_counter_start()
      for _ in 0..<40 { try transformer.forward(token, cache: cache, adapter: adapter) }
      let counts = event_counter_stop()
      #expect(isCounting)
      // But for a block and its memory where the last is full.
      let blocks = KVLayout.blocks(cache.count) - KVLayout.blocks(cache.count - 40)
      #expect(counts.allocations <= 2 * blocks)
      #expect(counts.retains <= blocks)
    }

    /// The counter counts.
    @Test func theCounterSeesAnArray() throws {
      let isCounting = event_counter_start()
      let array = (0..<Int.random(in: 100...200)).map { $0 }
      let other: AnyObject = array as AnyObject
      withExtendedLifetime([other, other]) {}
      let counts = event_counter_stop()
      #expect(isCounting)
      #expect(counts.allocations > 0)
      #expect(counts.retains > 0)
    }
  }
#endif
