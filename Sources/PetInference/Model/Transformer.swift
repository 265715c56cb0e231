import CPetKernels

/// A decoder-only transformer (Vaswani et al. 2017) in the form of Llama and Phi-3: RMS norm, rotary embedding, grouped
/// queries, SwiGLU. It owns scratch memory and threads; the weights are shared and the cache belongs to the caller.
///
/// Not thread-safe: one forward pass at a time.
public final class Transformer {
  public let weights: TransformerWeights
  public var configuration: ModelConfiguration { weights.configuration }
  public let kernelName: String
  public var threadCount: Int { pool.threadCount }

  let shape: TransformerShape
  let kernels: UnsafePointer<pk_kernels>
  let pool: ThreadPool
  let scratch: Scratch
  let rotary: RotaryTable

  /// Which logits a forward pass leaves behind.
  public enum LogitsRequest {
    case none
    /// Those of the last token.
    case last
    /// Those of every token, handed over one after another.
    case each((_ index: Int, _ logits: UnsafeBufferPointer<Float>) -> Void)
  }

  /// - Parameters:
  ///   - threadCount: threads that share the matrix products, the caller included.
  ///   - batchSize: how many tokens of a prompt go through the layers together; more costs memory and gains speed.
  ///   - variant: the kernels to use; nil: the fastest that this CPU runs.
  /// - Throws: `InferenceError`: kernels that this CPU cannot run, or not enough memory.
  public init(
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
  public var logits: UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: scratch.logits, count: shape.vocabularySize)
  }

  /// Starts to add up what the parts of passes take; costs a pass about ten calls of the clock per layer.
  public func startProfile() { scratch.clock.start() }

  /// What passes took since the start, part by part.
  public func endProfile() -> PassProfile { scratch.clock.stop() }

  /// How many tokens of `prompt` need no computing again with what `cache` holds.
  public func reusablePrefix(of prompt: [Int32], in cache: KVCache) -> Int {
    guard cache.regime == shape.regime(forLength: prompt.count) else { return 0 }
    return cache.commonPrefix(with: prompt)
  }

  /// Appends `tokens` to the sequence in `cache` and computes the logits asked for.
  ///
  /// The result does not depend on how a sequence is cut into calls.
  /// - Parameter shouldStop: asked before every batch; where it answers true, the pass ends with `cancelled` and the
  ///   cache holds the batches done.
  /// - Throws: `InferenceError`: an id outside the vocabulary, a full cache, cancelled.
  public func forward(
    _ tokens: ArraySlice<Int32>, cache: KVCache, logits request: LogitsRequest = .last,
    shouldStop: () -> Bool = { false }
  ) throws(InferenceError) {
    guard !tokens.isEmpty else { throw .emptyInput }
    // By index: iterating would count a reference.
    for index in tokens.indices where tokens[index] < 0 || Int(tokens[index]) >= shape.vocabularySize {
      throw .tokenOutsideVocabulary(tokens[index], vocabularySize: shape.vocabularySize)
    }
    let total = cache.count + tokens.count
    guard total <= cache.capacity else { throw .contextFull(needed: total, capacity: cache.capacity) }
    let regime = shape.regime(forLength: total)
    if cache.count > 0, cache.regime != regime {
      // The cached keys were turned by other angles: compute them anew.
      let past = cache.tokens
      cache.truncate(to: 0)
      try append(past[...], cache, regime, .none, shouldStop)
    }
    try append(tokens, cache, regime, request, shouldStop)
  }

  private func append(
    _ tokens: ArraySlice<Int32>, _ cache: KVCache, _ regime: RotaryEmbedding.Regime, _ request: LogitsRequest,
    _ shouldStop: () -> Bool
  ) throws(InferenceError) {
    rotary.prepare(cache.count + tokens.count, regime)
    try scratch.reserveScores(cache.count + tokens.count)
    try tokens.withUnsafeBufferPointer { all throws(InferenceError) in
      for done in stride(from: 0, to: all.count, by: scratch.batchSize) {
        if shouldStop() { throw .cancelled }
        let batch = UnsafeBufferPointer(rebasing: all[done..<min(done + scratch.batchSize, all.count)])
        computeLayers(batch, cache)
        cache.append(batch, regime: regime)
        switch request {
        case .none: break
        case .last: if done + batch.count == all.count { computeLogits(row: batch.count - 1) }
        case .each(let receive):
          for row in 0..<batch.count {
            computeLogits(row: row)
            receive(done + row, UnsafeBufferPointer(start: scratch.logits, count: shape.vocabularySize))
          }
        }
      }
    }
  }
}
