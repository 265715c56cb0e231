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
  /// The rows of the logits for each segment of the last step.
  var logitsRows: [Range<Int>?] = []

  /// Which logits a forward pass computes.
  package enum LogitsRequest {
    case none
    /// After the last token.
    case last
    /// After every token, passed to the closure in order.
    case each((_ index: Int, _ logits: UnsafeBufferPointer<Float>) -> Void)
    /// No logits: the hidden state of every token after the last norm, passed to the closure in order. [width]
    case states((_ index: Int, _ state: UnsafeBufferPointer<Float>) -> Void)
  }

  /// - Parameters:
  ///   - threadCount: threads that share the matrix products, the caller included.
  ///   - batchSize: tokens of a prompt that go through the layers together; a larger batch is faster and takes more memory.
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

  /// The logits of the last `forward` with `.last`: one per vocabulary entry. Valid until the next pass.
  package var logits: UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: scratch.logits, count: shape.vocabularySize)
  }

  /// Starts to measure the parts of passes; costs about ten clock reads per layer and pass.
  package func startProfile() { scratch.clock.start() }

  /// The time of passes since the start, per part.
  package func endProfile() -> PassProfile { scratch.clock.stop() }

  /// The origin of keys and values of a sequence of `length` tokens.
  package func origin(length: Int, _ adapter: AdapterWeights?) -> KVOrigin {
    KVOrigin(regime: shape.regime(forLength: length), adapter: adapter?.identity ?? 0)
  }

  /// How many tokens of `prompt` can be reused from `cache`.
  package func reusablePrefix(of prompt: [Int32], in cache: KVCache, adapter: AdapterWeights? = nil) -> Int {
    cache.origin == origin(length: prompt.count, adapter) ? cache.commonPrefix(with: prompt) : 0
  }

  /// Appends `tokens` to the sequence in `cache` and computes the logits asked for.
  ///
  /// The result does not depend on how a sequence is split into calls.
  /// - Parameters:
  ///   - adapter: the adapter that the sequence started with.
  ///   - length: the known final length of the sequence, in tokens: selects LongRoPE's regime. nil: it ends with these tokens.
  ///   - shouldStop: called before every batch; where it returns true, the pass throws `cancelled` and the cache holds the
  ///     completed batches.
  /// - Throws: `InferenceError`: an id outside the vocabulary, a full cache, an adapter that does not fit, cancellation.
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

  /// Throws what `forward` would throw for these tokens after those in `cache`, except for lack of memory.
  package func check(
    _ tokens: ArraySlice<Int32>, _ cache: KVCache, _ adapter: AdapterWeights? = nil
  ) throws(InferenceError) {
    if let adapter, adapter.shape != shape { throw .adapterOfOtherModel(path: adapter.path) }
    guard cache.count == 0 || cache.origin.adapter == adapter?.identity ?? 0 else { throw .otherAdapter }
    // Indexing, unlike iterating, counts no references.
    for index in tokens.indices where tokens[index] < 0 || Int(tokens[index]) >= shape.vocabularySize {
      throw .tokenOutsideVocabulary(tokens[index], vocabularySize: shape.vocabularySize)
    }
    let total = cache.count + tokens.count
    guard total <= cache.capacity else { throw .contextFull(needed: total, capacity: cache.capacity) }
  }

  /// Recomputes a cache whose keys have the angles of another regime.
  func recompute(
    _ cache: KVCache, _ adapter: AdapterWeights?, _ regime: RotaryEmbedding.Regime,
    _ shouldStop: () -> Bool = { false }
  ) throws(InferenceError) {
    let past = cache.tokens
    cache.truncate(to: 0)
    try append(past[...], cache, adapter, regime, .none, shouldStop)
  }

  /// Allocates scratch for an adapter.
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

  /// Discards results that were computed from lost pages of a file.
  func checkFiles(_ cache: KVCache) throws(InferenceError) {
    if MappedFile.isAnyLost { try tellLostFile(cache) }
  }

  // Not inlined: inlining would retain files on every pass.
  @inline(never)
  private func tellLostFile(_ cache: KVCache) throws(InferenceError) {
    if weights.file.mapping.isLost { throw .fileLost(path: weights.file.path) }
    if let path = cache.lostFile { throw .fileLost(path: path) }
  }

  /// Rows whose logits are computed together when all are requested, so that the output matrix is read rarely.
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
