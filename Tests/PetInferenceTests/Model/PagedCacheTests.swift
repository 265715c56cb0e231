// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import Testing

/// Where keys and values lie, and who else has them, changes no bit of what is computed.
@Suite("Blocks of keys and values that sequences share")
struct PagedCacheTests {
  private let weights: TransformerWeights
  private let transformer: Transformer
  private let pool: KVBlockPool
  private static let text = (0..<200).map { Int32(($0 * 7919 + 13) % 2000) }

  init() throws {
    weights = try WeightLayoutTests.nano(.rowMajor)
    transformer = try Transformer(weights, threadCount: 2)
    pool = KVBlockPool(KVLayout(weights.configuration, .f16))
  }

  private func blocks(_ positions: Int) -> Int { KVLayout.blocks(positions) * pool.layout.blockBytes }

  private func logits(_ tokens: [Int32], _ cache: KVCache) throws -> [Float] {
    try transformer.forward(tokens[...], cache: cache)
    return Array(transformer.logits)
  }

  @Test(
    "a fork shares all blocks and copies the one it writes into; both go on as if alone",
    arguments: [1, 31, 32, 33, 100])
  func forks(length: Int) throws {
    let past = Array(Self.text[..<length])
    let trunk = KVCache(pool, capacity: 256)
    _ = try logits(past, trunk)
    let shared = pool.byteCount
    #expect(shared == blocks(length))
    let branch = trunk.fork()
    #expect(pool.byteCount == shared)
    for (cache, next) in [(branch, [5, 6, 7]), (trunk, [8, 9]), (branch, [10])] as [(KVCache, [Int32])] {
      let before = cache.tokens
      let alone = KVCache(weights.configuration, capacity: 256)
      #expect(try logits(next, cache) == logits(before + next, alone))
    }
    // Each has a last block of its own now.
    let (common, rest) = (length / 32, KVLayout.blocks(length + 4) - length / 32)
    let trunkRest = KVLayout.blocks(length + 2) - length / 32
    #expect(pool.byteCount == (common + rest + trunkRest) * pool.layout.blockBytes)
  }

  @Test("blocks go when they are forgotten")
  func truncation() throws {
    do {
      let cache = KVCache(pool, capacity: 256)
      _ = try logits(Self.text, cache)
      #expect(pool.byteCount == blocks(200))
      cache.truncate(to: 33)
      #expect(pool.byteCount == blocks(33) && cache.count == 33)
      cache.truncate(to: -1)
      #expect(pool.byteCount == 0 && cache.count == 0)
    }
    #expect(pool.byteCount == 0)
  }

  @Test("the longest common beginning is found, whatever was put in", arguments: 0..<40)
  func longest(seed: Int) throws {
    var random = RandomSource(seed: UInt64(seed))
    let prefixes = PrefixCache(pool, budget: .max)
    // Few different tokens, so that much is common.
    func sequence() -> [Int32] {
      (0..<Int.random(in: 0...150, using: &random)).map { _ in Int32.random(in: 0...1, using: &random) }
    }
    let trunk = sequence()
    var known: [[Int32]] = []
    for _ in 0..<20 {
      let tokens = Array(trunk.prefix(Int.random(in: 0...150, using: &random))) + sequence()
      let cache = KVCache(pool, capacity: 512)
      if !tokens.isEmpty { try transformer.forward(tokens[...], cache: cache, logits: .none) }
      prefixes.insert(cache.prefix)
      known.append(tokens)
      let like = known.randomElement(using: &random) ?? []
      let prompt = Array(like.prefix(Int.random(in: 0...200, using: &random))) + sequence()
      let expected = known.map { zip($0, prompt).prefix { $0 == $1 }.count }.max() ?? 0
      #expect(prefixes.longestPrefix(of: prompt[...], origin: KVOrigin()).count == expected)
      let found = prefixes.longestPrefix(of: prompt[...], origin: KVOrigin())
      #expect(found.tokens == Array(prompt.prefix(expected)))
      #expect(prefixes.longestPrefix(of: prompt[...], origin: KVOrigin(regime: .long)).count == 0)
    }
    // What was found is what would have been computed.
    let whole = known[7] + [3, 4]
    let cache = KVCache(pool, capacity: 512)
    cache.adopt(prefixes.longestPrefix(of: whole[...], origin: KVOrigin()))
    #expect(cache.count >= known[7].count)
    let rest = Array(whole[min(cache.count, whole.count - 1)...])
    cache.truncate(to: whole.count - rest.count)
    #expect(try logits(rest, cache) == logits(whole, KVCache(weights.configuration, capacity: 512)))
  }

  @Test("a very long conversation is forgotten without a deep stack")
  func longChain() throws {
    let cache = KVCache(pool, capacity: 32)
    try transformer.forward(Array(Self.text[..<32])[...], cache: cache, logits: .none)
    let length = 500_000
    let prefixes = PrefixCache(pool, budget: .max)
    prefixes.insert(
      KVPrefix(
        tokens: [Int32](repeating: 1, count: 32 * length),
        blocks: [KVBlock](repeating: cache.prefix.blocks[0], count: length), origin: KVOrigin()))
    prefixes.removeAll()
    #expect(prefixes.longestPrefix(of: [1], origin: KVOrigin()).count == 0)
  }

  @Test("over the budget, what was used least recently goes first, and nothing that a sequence uses")
  func eviction() throws {
    let prefixes = PrefixCache(pool, budget: 4 * pool.layout.blockBytes)
    func insert(_ first: Int32, _ length: Int) throws -> KVCache {
      let cache = KVCache(pool, capacity: 256)
      try transformer.forward([Int32](repeating: first, count: length)[...], cache: cache, logits: .none)
      prefixes.insert(cache.prefix)
      return cache
    }
    func found(_ first: Int32) -> Int {
      prefixes.longestPrefix(of: [Int32](repeating: first, count: 100)[...], origin: KVOrigin()).count
    }
    _ = try insert(1, 40)
    _ = try insert(2, 40)
    prefixes.evict()
    #expect(found(1) == 40 && found(2) == 40)
    _ = prefixes.longestPrefix(of: [1, 1], origin: KVOrigin())
    let used = try insert(3, 64)
    prefixes.evict()
    #expect(found(3) == 64 && pool.byteCount <= 4 * pool.layout.blockBytes)
    // The tail of the older goes before what was looked up since.
    #expect(found(2) <= found(1))
    _ = try insert(4, 128)
    prefixes.evict()
    // Three's blocks are its sequence's: the memory would not come back, and four's last ones go in their place.
    #expect(found(4) == 64 && pool.byteCount == 4 * pool.layout.blockBytes)
    withExtendedLifetime(used) {}
    prefixes.removeAll()
    #expect(found(3) == 0)
  }
}

@Suite("Keys and values in a file")
struct KVSnapshotTests {
  private let weights: TransformerWeights
  private let transformer: Transformer
  private let pool: KVBlockPool
  private let folder: URL
  private let identity = [UInt8](repeating: 7, count: 32)

  init() throws {
    weights = try WeightLayoutTests.nano(.rowMajor)
    transformer = try Transformer(weights, threadCount: 1)
    pool = KVBlockPool(KVLayout(weights.configuration, .q8_0))
    folder = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func read(_ path: String) throws -> KVSnapshot {
    try KVSnapshot(path: path, identity: identity, pool: pool, vocabularySize: weights.configuration.vocabularySize)
  }

  private func written(_ length: Int) throws -> (path: String, cache: KVCache) {
    let cache = KVCache(pool, capacity: 256)
    let text = (0..<length).map { Int32(($0 * 31 + 5) % 1000) }
    if length > 0 { try transformer.forward(text[...], cache: cache, logits: .none) }
    let path = folder.appending(path: "saved").path
    try KVSnapshot.write(
      cache.prefix, attaching: Array("words".utf8), identity: identity, layout: pool.layout, to: path)
    return (path, cache)
  }

  /// The hashes are sha256sum's, of "model" and "avx2 asInFile q8_0 12 2 64" or the same with "interleaved".
  @Test(
    "the identity of a file is the same in every program",
    arguments: [
      (WeightLayout.rowMajor, "f5151dbf84d25e64a1b287e62efad9a085c9b1c4cd96b762cb0342e7ba471b13"),
      (.interleaved, "c095ca38b0dddcfb8d342610765796d552d50df0f39d628391b9de9b7754b428"),
    ])
  func identities(layout: WeightLayout, hash: String) {
    defer { try? FileManager.default.removeItem(at: folder) }
    let identity = KVSnapshot.identity(
      model: Array("model".utf8), kernels: "avx2", weights: layout, layout: pool.layout)
    #expect(identity.map { String(format: "%02x", $0) }.joined() == hash)
  }

  @Test("mapped again they go on with the same bits, and the file stays as it is", arguments: [0, 1, 32, 100])
  func goesOn(length: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, cache) = try written(length)
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let saved = try read(path)
    #expect(saved.prefix.tokens == cache.tokens && saved.attachment == Array("words".utf8))
    let resumed = KVCache(pool, capacity: 256)
    resumed.adopt(saved.prefix)
    try transformer.forward([3, 4, 5], cache: cache)
    let expected = Array(transformer.logits)
    try transformer.forward([3, 4, 5], cache: resumed)
    #expect(Array(transformer.logits) == expected)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test("what lies behind the last token is not written", arguments: KVCache.Precision.allCases)
  func nothingElse(precision: KVCache.Precision) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pool = KVBlockPool(KVLayout(weights.configuration, precision))
    func saved(_ tokens: [Int32], cut: Int) throws -> Data {
      let cache = KVCache(pool, capacity: 256)
      try transformer.forward(tokens[...], cache: cache, logits: .none)
      cache.truncate(to: cut)
      let path = folder.appending(path: "saved").path
      try KVSnapshot.write(cache.prefix, attaching: [], identity: identity, layout: pool.layout, to: path)
      return try Data(contentsOf: URL(filePath: path))
    }
    let common = (0..<45).map { Int32($0 * 31 + 5) }
    for cut in [45, 33, 32, 1] {
      #expect(try saved(common + [1, 2, 3, 4], cut: cut) == saved(common + [900, 901], cut: cut), "\(cut)")
    }
  }

  @Test("whatever is not as it was written is refused")
  func refusals() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, _) = try written(50)
    let whole = try Data(contentsOf: URL(filePath: path))
    let place = folder.appending(path: "changed")
    func reason(_ change: (inout Data) -> Void) throws -> KVSnapshotError.Reason? {
      var data = whole
      change(&data)
      try data.write(to: place)
      do {
        _ = try read(place.path)
        return nil
      } catch let error as KVSnapshotError {
        #expect(error.description.hasPrefix(place.path))
        return error.reason
      }
    }
    #expect(try reason { _ in } == nil)
    #expect(try reason { $0[7] = 2 } == .version(2))
    #expect(try reason { $0[0] = 0 } == .notASnapshot)
    #expect(try reason { $0 = Data() } == .notASnapshot)
    #expect(try reason { $0[20] ^= 1 } == .otherModel)
    for length in [8, 127, 128, 500, 4096, whole.count - 1] {
      let found = try reason { $0 = $0.prefix(length) }
      #expect(found == .damaged || found == .notASnapshot, "\(length) bytes")
    }
    // Every bit of the counts, and bytes all over.
    for byte in Array(8..<16) + Array(48..<130) + Array(stride(from: 130, to: whole.count, by: 4999)) {
      for bit in 0..<8 { #expect(try reason { $0[byte] ^= 1 << UInt8(bit) } == .damaged, "byte \(byte)") }
    }
    #expect(try reason { $0.append(0) } == .damaged)
  }
}
