// SPDX-License-Identifier: Apache-2.0
/// The tokens of one sequence in a step that several sequences share.
package struct StepSegment {
  package let cache: KVCache
  /// The tokens that follow those in the cache.
  package let tokens: ArraySlice<Int32>
  /// For how many of the last of them logits are computed.
  package let logitsCount: Int
  /// The known final length of the sequence, in tokens: selects LongRoPE's regime.
  package let length: Int
  /// The adapter of this sequence, from its first token on.
  package let adapter: AdapterWeights?
  /// Positions in the cache before the tokens.
  let past: Int

  /// - Parameter length: nil: the sequence ends with these tokens.
  package init(
    _ cache: KVCache, _ tokens: ArraySlice<Int32>, logitsCount: Int = 1, length: Int? = nil,
    adapter: AdapterWeights? = nil
  ) {
    self.cache = cache
    self.tokens = tokens
    self.logitsCount = max(0, min(logitsCount, tokens.count))
    self.adapter = adapter
    past = cache.count
    self.length = max(length ?? 0, cache.count + tokens.count)
  }
}

extension Transformer {
  /// Most tokens of a step, all segments together.
  package var batchSize: Int { scratch.batchSize }

  /// Appends tokens to several sequences in one pass over the weights. The results are bit-identical to those of separate passes.
  ///
  /// Costs no more than the longest segment alone while the pass is bound by memory bandwidth.
  /// - Parameter segments: of distinct caches, unchanged since the segments were made; their tokens are at most `batchSize`
  ///   together.
  /// - Throws: `InferenceError`: as `forward`, or `.batchFull`. A cache whose keys LongRoPE was recomputing may then lack its
  ///   last positions, and after `.fileLost` some caches may have their new ones: make new segments for another step.
  package func step(_ segments: [StepSegment]) throws(InferenceError) {
    try check(segments)
    let longest = segments.reduce(0) { max($0, $1.cache.count + $1.tokens.count) }
    try scratch.reserveScores(longest)
    try scratch.reserveLogits(segments.reduce(0) { $0 + $1.logitsCount })
    for segment in segments { try reserve(for: segment.adapter) }
    let regimes = segments.map { shape.regime(forLength: $0.length) }
    for (segment, regime) in zip(segments, regimes)
    where segment.cache.count > 0 && segment.cache.origin.regime != regime {
      try recompute(segment.cache, segment.adapter, regime)
    }
    for segment in segments { try segment.cache.reserve(segment.tokens.count) }
    logitsRows = segments.indices.map { _ in nil }
    var given = 0
    // One pass uses one table of angles.
    for regime in [RotaryEmbedding.Regime.short, .long] where regimes.contains(regime) {
      let chosen = segments.indices.filter { regimes[$0] == regime }
      rotary.prepare(longest, regime)
      scratch.plan.begin()
      var wanted: [Int] = []
      for index in chosen {
        segments[index].tokens.withUnsafeBufferPointer {
          scratch.plan.add($0, to: segments[index].cache, segments[index].adapter)
        }
        let end = scratch.plan.rows
        logitsRows[index] = given + wanted.count..<given + wanted.count + segments[index].logitsCount
        wanted += end - segments[index].logitsCount..<end
      }
      computeLayers()
      for index in chosen { try checkFiles(segments[index].cache) }
      for index in chosen {
        let origin = KVOrigin(regime: regime, adapter: segments[index].adapter?.identity ?? 0)
        segments[index].tokens.withUnsafeBufferPointer { segments[index].cache.append($0, origin) }
      }
      if !wanted.isEmpty { computeLogits(wanted.count, from: given) { wanted[$0] } }
      given += wanted.count
    }
    // The output matrix is read last; the caches are complete by now.
    if let segment = segments.first { try checkFiles(segment.cache) }
  }

  /// The logits of the last `step` for a segment, one per vocabulary entry: after its last token, or `back` tokens before it. nil
  /// where they were not requested. Valid until the next pass.
  package func logits(ofSegment index: Int, back: Int = 0) -> UnsafeMutableBufferPointer<Float>? {
    guard logitsRows.indices.contains(index), let rows = logitsRows[index], back >= 0, back < rows.count else {
      return nil
    }
    return UnsafeMutableBufferPointer(
      start: scratch.logits + (rows.upperBound - 1 - back) * shape.vocabularySize, count: shape.vocabularySize)
  }

  private func check(_ segments: [StepSegment]) throws(InferenceError) {
    let tokens = segments.reduce(0) { $0 + $1.tokens.count }
    guard tokens <= batchSize else { throw .batchFull(tokens: tokens, capacity: batchSize) }
    var seen = Set<ObjectIdentifier>()
    for segment in segments {
      guard !segment.tokens.isEmpty else { throw .emptyInput }
      guard seen.insert(ObjectIdentifier(segment.cache)).inserted else { throw .sharedSequence }
      // The cache has changed: the tokens would get other positions.
      guard segment.past == segment.cache.count else { throw .sharedSequence }
      try check(segment.tokens, segment.cache, segment.adapter)
    }
  }
}
