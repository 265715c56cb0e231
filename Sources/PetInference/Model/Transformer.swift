// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles

/// A decoder-only transformer (Vaswani et al. 2017) in the form of Llama and Phi-3: RMS norm, rotary embedding, grouped
/// queries, SwiGLU. It owns scratch memory and threads; the weights are shared and the cache belongs to the caller.
///
/// Not thread-safe: one forward pass at a time.
package final class Transformer {
  package let weights: TransformerWeights
  package var configuration: ModelConfiguration { weights.configuration }
  package let kernelName: String
  package var threadCount: Int { pool.threadCount }

  let shape: TransformerShape
  let kernels: UnsafePointer<pk_kernels>
  let pool: ThreadPool
  let scratch: Scratch
  let rotary: RotaryTable
  /// For each segment of the last step its rows of the logits.
  var logitsRows: [Range<Int>?] = []

  /// Which logits a forward pass leaves behind.
  package enum LogitsRequest {
    case none
    /// Those of the last token.
    case last
    /// Those of every token, handed over one after another.
    case each((_ index: Int, _ logits: UnsafeBufferPointer<Float>) -> Void)
    /// No logits, but what they would be computed from: the hidden state of every token behind the last norm, handed over one
    /// after another. [width]
    case states((_ index: Int, _ state: UnsafeBufferPointer<Float>) -> Void)
  }

  /// - Parameters:
  ///   - threadCount: threads that share the matrix products, the caller included.
  ///   - batchSize: how many tokens of a prompt go through the layers together; more costs memory and gains speed.
  ///   - variant: the kernels to use; nil: the fastest that this CPU runs.
  /// - Throws: `InferenceError`: kernels that this CPU cannot run, or not enough memory.
  package init(
    _ weights: TransformerWeights, threadCount: Int, batchSize: Int = 128, variant: KernelVariant? = nil
  ) throws(InferenceError) {
    self.weights = weights
    shape = weights.shape
    kernels = try KernelVariant.table(variant)
    kernelName = String(cString: kernels.pointee.name)
    pool = ThreadPool(threadCount: threadCount)
    scratch = try Scratch(weights.configuration, batchSize: max(1, batchSize), threadCount: pool.threadCount)
    rotary = RotaryTable(weights.configuration.rotary)
  }

  /// Bytes of the buffers of a forward pass.
  package var bufferBytes: Int { scratch.byteCount }

  /// The logits that the last `forward` with `.last` left behind: one per vocabulary entry. Valid until the next pass.
  package var logits: UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: scratch.logits, count: shape.vocabularySize)
  }

  /// Starts to add up what the parts of passes take; costs a pass about ten calls of the clock per layer.
  package func startProfile() { scratch.clock.start() }

  /// What passes took since the start, part by part.
  package func endProfile() -> PassProfile { scratch.clock.stop() }

  /// What the keys and values of a sequence are computed with that has so many tokens.
  package func origin(length: Int, _ adapter: AdapterWeights?) -> KVOrigin {
    KVOrigin(regime: shape.regime(forLength: length), adapter: adapter?.identity ?? 0)
  }

  /// How many tokens of `prompt` need no computing again with what `cache` holds.
  package func reusablePrefix(of prompt: [Int32], in cache: KVCache, adapter: AdapterWeights? = nil) -> Int {
    cache.origin == origin(length: prompt.count, adapter) ? cache.commonPrefix(with: prompt) : 0
  }

  /// Appends `tokens` to the sequence in `cache` and computes the logits asked for.
  ///
  /// The result does not depend on how a sequence is cut into calls.
  /// - Parameters:
  ///   - adapter: the one that the sequence was begun with.
  ///   - length: tokens that the sequence is known to have in the end: LongRoPE turns keys by it. Nil: it ends with these.
  ///   - shouldStop: asked before every batch; where it answers true, the pass ends with `cancelled` and the cache holds the
  ///     batches done.
  /// - Throws: `InferenceError`: an id outside the vocabulary, a full cache, an adapter that does not belong there, cancelled.
  package func forward(
    _ tokens: ArraySlice<Int32>, cache: KVCache, adapter: AdapterWeights? = nil, logits request: LogitsRequest = .last,
    length: Int? = nil, shouldStop: () -> Bool = { false }
  ) throws(InferenceError) {
    guard !tokens.isEmpty else { throw .emptyInput }
    try check(tokens, cache, adapter)
    let regime = shape.regime(forLength: max(length ?? 0, cache.count + tokens.count))
    if cache.count > 0, cache.origin.regime != regime { try recompute(cache, adapter, regime, shouldStop) }
    try append(tokens, cache, adapter, regime, request, shouldStop)
  }

  /// Throws what `forward` would throw for these tokens behind what is in `cache`, but for memory.
  package func check(
    _ tokens: ArraySlice<Int32>, _ cache: KVCache, _ adapter: AdapterWeights? = nil
  ) throws(InferenceError) {
    if let adapter, adapter.shape != shape { throw .adapterOfOtherModel(path: adapter.path) }
    guard cache.count == 0 || cache.origin.adapter == adapter?.identity ?? 0 else { throw .otherAdapter }
    // By index: iterating would count a reference.
    for index in tokens.indices where tokens[index] < 0 || Int(tokens[index]) >= shape.vocabularySize {
      throw .tokenOutsideVocabulary(tokens[index], vocabularySize: shape.vocabularySize)
    }
    let total = cache.count + tokens.count
    guard total <= cache.capacity else { throw .contextFull(needed: total, capacity: cache.capacity) }
  }

  /// The cached keys were turned by other angles: computes them anew.
  func recompute(
    _ cache: KVCache, _ adapter: AdapterWeights?, _ regime: RotaryEmbedding.Regime,
    _ shouldStop: () -> Bool = { false }
  ) throws(InferenceError) {
    let past = cache.tokens
    cache.truncate(to: 0)
    try append(past[...], cache, adapter, regime, .none, shouldStop)
  }

  /// Makes room for what an adapter computes.
  func reserve(for adapter: AdapterWeights?) throws(InferenceError) {
    guard let adapter, adapter.rank > scratch.adapters.memory?.rank ?? 0 else { return }
    try scratch.adapters.reserve(rank: adapter.rank)
  }

  private func append(
    _ tokens: ArraySlice<Int32>, _ cache: KVCache, _ adapter: AdapterWeights?, _ regime: RotaryEmbedding.Regime,
    _ request: LogitsRequest, _ shouldStop: () -> Bool
  ) throws(InferenceError) {
    try reserve(for: adapter)
    rotary.prepare(cache.count + tokens.count, regime)
    try scratch.reserveScores(cache.count + tokens.count)
    try tokens.withUnsafeBufferPointer { all throws(InferenceError) in
      for done in stride(from: 0, to: all.count, by: scratch.batchSize) {
        if shouldStop() { throw .cancelled }
        let batch = UnsafeBufferPointer(rebasing: all[done..<min(done + scratch.batchSize, all.count)])
        try cache.reserve(batch.count)
        scratch.plan.begin()
        scratch.plan.add(batch, to: cache, adapter)
        computeLayers()
        try checkFiles(cache)
        cache.append(batch, KVOrigin(regime: regime, adapter: adapter?.identity ?? 0))
        switch request {
        case .none: break
        case .last: if done + batch.count == all.count { computeLogits(1) { _ in batch.count - 1 } }
        case .each(let receive): try giveLogits(of: batch.count) { receive(done + $0, $1) }
        case .states(let receive):
          for row in 0..<batch.count {
            normalizeState(of: row, into: scratch.input.values)
            receive(done + row, UnsafeBufferPointer(start: scratch.input.values, count: shape.width))
          }
        }
        try checkFiles(cache)
      }
    }
  }

  /// What was computed with parts of a file that are gone is of no use.
  func checkFiles(_ cache: KVCache) throws(InferenceError) {
    if MappedFile.isAnyLost { try tellLostFile(cache) }
  }

  // By itself: where it is inlined, files are retained before anything is asked.
  @inline(never)
  private func tellLostFile(_ cache: KVCache) throws(InferenceError) {
    if weights.file.mapping.isLost { throw .fileLost(path: weights.file.path) }
    if let path = cache.lostFile { throw .fileLost(path: path) }
  }

  /// Rows whose logits are computed together when all are asked for: enough to read the output matrix seldom.
  private static let rowsOfLogits = 16

  private func giveLogits(
    of rows: Int, _ receive: (_ row: Int, _ logits: UnsafeBufferPointer<Float>) -> Void
  ) throws(InferenceError) {
    for first in stride(from: 0, to: rows, by: Self.rowsOfLogits) {
      let count = min(Self.rowsOfLogits, rows - first)
      try scratch.reserveLogits(count)
      computeLogits(count) { first + $0 }
      for row in 0..<count {
        receive(
          first + row,
          UnsafeBufferPointer(start: scratch.logits + row * shape.vocabularySize, count: shape.vocabularySize))
      }
    }
  }
}
