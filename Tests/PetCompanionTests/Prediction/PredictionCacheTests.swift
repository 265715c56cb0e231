// SPDX-License-Identifier: Apache-2.0
import Testing

import PetCompanion

@Suite("The prediction cache")
struct PredictionCacheTests {
  /// The same in the plainest form: a list, the least recently used first.
  private struct Model {
    var entries: [(key: PredictionKey, payload: [UInt8], made: Int64)] = []

    mutating func get(_ key: PredictionKey, now: Int64, timeToLive: Int64) -> [UInt8]? {
      guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
      let found = entries.remove(at: place)
      guard now - found.made < timeToLive else { return nil }
      entries.append((found.key, found.payload, min(found.made, now)))
      return found.payload
    }

    mutating func put(_ key: PredictionKey, _ payload: [UInt8], now: Int64, capacity: Int) {
      entries.removeAll { $0.key == key }
      func cost(_ payload: [UInt8]) -> Int { payload.count + PredictionCache.overhead }
      guard cost(payload) <= capacity / 4 else { return }
      entries.append((key, payload, now))
      while entries.reduce(0, { $0 + cost($1.payload) }) > capacity { entries.removeFirst() }
    }
  }

  private static let keys = (0..<40).map { request($0).key }

  @Test("does what a plain list would do, over thousands of random steps", arguments: 0..<8 as Range<UInt64>)
  func random(seed: UInt64) {
    var dice = Dice(seed)
    var cache = PredictionCache(capacity: 6000, timeToLive: 15)
    var model = Model()
    var now: Int64 = 1000
    for _ in 0..<3000 {
      // The clock goes on, and now and then back.
      now += Int64(dice.below(10) == 0 ? -dice.below(20) : dice.below(3))
      let key = Self.keys[dice.below(Self.keys.count)]
      if dice.below(2) == 0 {
        let found = cache.payload(for: key, now: now)
        let expected = model.get(key, now: now, timeToLive: 15)
        #expect(found == expected)
      } else {
        let payload = dice.bytes(dice.below(1500))
        cache.put(payload, for: key, now: now)
        model.put(key, payload, now: now, capacity: 6000)
      }
      #expect(cache.statistics.entries == model.entries.count)
      #expect(cache.statistics.bytes <= 6000)
    }
    let kept = cache.entries(now: .min)
    #expect(kept.map(\.key) == model.entries.map(\.key) && kept.map(\.payload) == model.entries.map(\.payload))
    let counts = cache.statistics
    #expect(counts.hits > 0 && counts.misses > 0 && counts.evictions > 0 && counts.expirations > 0)
  }

  @Test("an answer lives as long as it was told, whatever the clock does")
  func time() {
    var cache = PredictionCache(capacity: 10_000, timeToLive: 10)
    let key = Self.keys[0]
    func look(_ now: Int64) -> [UInt8]? { cache.payload(for: key, now: now) }
    cache.put([1], for: key, now: 100)
    #expect(look(109) == [1])
    #expect(look(110) == nil)
    // Set back, it is new from then on; at the ends of time nothing traps.
    cache.put([2], for: key, now: .max)
    #expect(look(.min) == [2])
    #expect(look(.max) == nil)
    cache.put([3], for: key, made: 500, now: 100)
    #expect(look(109) == [3])
    let isKept = cache.put([4], for: key, made: 0, now: 100)
    #expect(!isKept)
  }

  @Test("what is too big is refused, and so is all with no room", arguments: [Int.min, -1, 0, 1, 800])
  func tooBig(capacity: Int) {
    var cache = PredictionCache(capacity: capacity, timeToLive: 10)
    var isKept = cache.put([UInt8](repeating: 0, count: 300), for: Self.keys[0], now: 0)
    #expect(!isKept)
    #expect(cache.statistics.entries == 0 && cache.statistics.bytes == 0)
    var large = PredictionCache(capacity: .max, timeToLive: 10)
    isKept = large.put([UInt8](repeating: 0, count: PredictionRecord.longestPayload + 1), for: Self.keys[0], now: 0)
    #expect(!isKept)
  }

  @Test("less room takes the least recently used at once")
  func shrinks() {
    var cache = PredictionCache(capacity: 100_000, timeToLive: 10)
    for key in Self.keys { cache.put([0], for: key, now: 0) }
    _ = cache.payload(for: Self.keys[0], now: 0)
    cache.capacity = 2 * (PredictionCache.overhead + 1)
    #expect(cache.entries(now: 0).map(\.key) == [Self.keys[39], Self.keys[0]])
    cache.removeAll()
    #expect(cache.statistics.entries == 0 && cache.statistics.bytes == 0 && cache.entries(now: 0).isEmpty)
    let isKept = [2 * PredictionCache.overhead, 10_000].map {
      cache.capacity = $0
      return cache.put([1], for: Self.keys[1], now: 0)
    }
    #expect(isKept == [false, true])
  }

  @Test("an answer is read as it was written, and nothing else is an answer")
  func encoding() {
    let all = [
      prediction(3), Prediction(reply: Reply(text: ""), tokens: []),
      Prediction(reply: Reply(text: "schön 🐈‍⬛", emotion: .sad, actions: []), tokens: [.max, .min]),
    ]
    for one in all {
      #expect(Prediction(encoded: one.encoded) == one)
      for count in 0..<one.encoded.count { #expect(Prediction(encoded: Array(one.encoded.prefix(count))) == nil) }
      #expect(Prediction(encoded: one.encoded + [0]) == nil)
    }
    var dice = Dice(4)
    let bytes = prediction(5).encoded
    for _ in 0..<3000 {
      var changed = bytes
      for _ in 0...dice.below(3) { changed[dice.below(changed.count)] = UInt8(truncatingIfNeeded: dice.next()) }
      _ = Prediction(encoded: changed)
      _ = Prediction(encoded: dice.bytes(dice.below(60)))
    }
  }
}
