/// What one sequence adds to a step that several share.
public struct StepSegment {
  public let cache: KVCache
  /// The tokens that follow what is in the cache.
  public let tokens: ArraySlice<Int32>
  /// Whether the logits after the last of them are wanted.
  public let wantsLogits: Bool
  /// Tokens that the sequence is known to have in the end: LongRoPE turns keys by it.
  public let length: Int
  /// What the weights are adapted with for this sequence, from its first token on.
  public let adapter: AdapterWeights?

  /// - Parameter length: nil: it ends with these tokens.
  public init(
    _ cache: KVCache, _ tokens: ArraySlice<Int32>, wantsLogits: Bool = true, length: Int? = nil,
    adapter: AdapterWeights? = nil
  ) {
    self.cache = cache
    self.tokens = tokens
    self.wantsLogits = wantsLogits
    self.adapter = adapter
    self.length = max(length ?? 0, cache.count + tokens.count)
  }
}

extension Transformer {
  /// Most tokens of a step, all segments together.
  public var batchSize: Int { scratch.batchSize }

  /// Appends tokens to several sequences in one pass over the weights. What each gives is bit for bit what it gives alone.
  ///
  /// Costs no more than the longest segment alone as long as reading the weights is what takes the time.
  /// - Parameter segments: of different caches; all tokens together are at most `batchSize`.
  /// - Throws: `InferenceError`: as `forward`, or `.batchFull`. No cache has changed then, but for keys that LongRoPE turns
  ///   anew.
  public func step(_ segments: [StepSegment]) throws(InferenceError) {
    try check(segments)
    let longest = segments.reduce(0) { max($0, $1.cache.count + $1.tokens.count) }
    try scratch.reserveScores(longest)
    try scratch.reserveLogits(segments.count { $0.wantsLogits })
    for segment in segments { try reserve(for: segment.adapter) }
    let regimes = segments.map { shape.regime(forLength: $0.length) }
    for (segment, regime) in zip(segments, regimes) where segment.cache.count > 0 && segment.cache.regime != regime {
      try recompute(segment.cache, segment.adapter, regime)
    }
    logitsRows = segments.indices.map { _ in nil }
    var given = 0
    // Two tables of angles are never used in one pass.
    for regime in [RotaryEmbedding.Regime.short, .long] where regimes.contains(regime) {
      let chosen = segments.indices.filter { regimes[$0] == regime }
      rotary.prepare(longest, regime)
      scratch.plan.begin()
      var last: [Int] = []
      for index in chosen {
        segments[index].tokens.withUnsafeBufferPointer {
          scratch.plan.add($0, to: segments[index].cache, segments[index].adapter)
        }
        guard segments[index].wantsLogits else { continue }
        logitsRows[index] = given + last.count
        last.append(scratch.plan.rows - 1)
      }
      computeLayers()
      for index in chosen {
        segments[index].tokens.withUnsafeBufferPointer { segments[index].cache.append($0, regime: regime) }
        segments[index].cache.adapter = segments[index].adapter?.identity ?? 0
      }
      if !last.isEmpty { computeLogits(last.count, from: given) { last[$0] } }
      given += last.count
    }
  }

  /// The logits that the last `step` left behind for a segment that wanted them: one per vocabulary entry. Valid until the next
  /// pass.
  public func logits(ofSegment index: Int) -> UnsafeMutableBufferPointer<Float>? {
    guard logitsRows.indices.contains(index), let row = logitsRows[index] else { return nil }
    return UnsafeMutableBufferPointer(
      start: scratch.logits + row * shape.vocabularySize, count: shape.vocabularySize)
  }

  private func check(_ segments: [StepSegment]) throws(InferenceError) {
    let tokens = segments.reduce(0) { $0 + $1.tokens.count }
    guard tokens <= batchSize else { throw .batchFull(tokens: tokens, capacity: batchSize) }
    var seen = Set<ObjectIdentifier>()
    for segment in segments {
      guard !segment.tokens.isEmpty else { throw .emptyInput }
      guard seen.insert(ObjectIdentifier(segment.cache)).inserted else { throw .sharedSequence }
      try check(segment.tokens, segment.cache, segment.adapter)
    }
  }
}
