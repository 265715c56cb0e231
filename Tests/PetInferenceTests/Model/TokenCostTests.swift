// SPDX-License-Identifier: Apache-2.0
import CEventCounter
import CInstrumentation
import PetInference
import Testing

#if canImport(Glibc)
  import Glibc

  /// What a token costs beside arithmetic: nothing.
  @Suite(.disabled(if: is_sanitized(), "sanitizers have an allocator of their own")) struct TokenCostTests {
    @Test(
      arguments: [(WeightLayout.rowMajor, KVCache.Precision.q8_0), (.interleaved, .f16)],
      [(1, false), (1, true), (2, false), (2, true)])
    func aTokenAllocatesNothingAndCountsNoReferences(
      _ kept: (layout: WeightLayout, precision: KVCache.Precision), _ use: (threads: Int, isAdapted: Bool)
    ) throws {
      let weights = try WeightLayoutTests.nano(kept.layout)
      weights.waitUntilReady()
      // The threads of its pool are counted.
      try #require(event_counter_prepare())
      let transformer = try Transformer(weights, threadCount: use.threads)
      let cache = KVCache(weights.configuration, capacity: 128, precision: kept.precision)
      let tokens = WeightLayoutTests.prompt
      let adapter = use.isAdapted ? try RandomAdapter().load(for: weights) : nil
      try transformer.forward(tokens[...], cache: cache, adapter: adapter)
      func write() throws {
        for _ in 0..<30 { try transformer.forward(tokens[5...5], cache: cache, adapter: adapter) }
      }
      // Once before: lists grow to twice their length, at a length that the allocator decides; a thread gets what the runtime makes
      // for each.
      try write()
      cache.truncate(to: tokens.count)
      let isCounting = event_counter_start()
      try write()
      let counts = event_counter_stop()
      #expect(isCounting)
      // A block and its memory, each time the last is full.
      let blocks = KVLayout.blocks(cache.count) - KVLayout.blocks(tokens.count)
      #expect(blocks > 0 && counts.allocations == 2 * blocks, "\(counts)")
      #expect(counts.retains <= blocks, "\(counts)")
    }

    /// The counter counts, on threads that belong to it too.
    @Test func theCounterSeesAnArray() throws {
      let isCounting = event_counter_start()
      let array = (0..<Int.random(in: 100...200)).map { $0 }
      let other: AnyObject = array as AnyObject
      withExtendedLifetime([other, other]) {}
      let counts = event_counter_stop()
      #expect(isCounting)
      #expect(counts.allocations > 0)
      #expect(counts.retains > 0)

      try #require(event_counter_prepare())
      let pool = ThreadPool(threadCount: 2)
      try #require(event_counter_start())
      var memory: UnsafeMutableRawPointer?
      for _ in 0..<100 {
        pool.run(chunks: 2, over: &memory) { context, worker, _ in
          guard worker > 0 else {
            usleep(100)
            return
          }
          let place = context.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
          free(place.pointee)
          place.pointee = malloc(64)
        }
      }
      #expect(event_counter_stop().allocations > 0)
      free(memory)
    }
  }
#endif
