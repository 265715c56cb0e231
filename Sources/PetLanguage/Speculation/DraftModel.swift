// SPDX-License-Identifier: Apache-2.0
import PetInference

/// A smaller model with the same vocabulary that guesses what a larger one will say. Touched only by the worker.
package final class DraftModel {
  private let transformer: Transformer
  private let pool: KVBlockPool
  /// Mean seconds of one of its passes.
  private(set) var seconds = 0.0
  private let clock = ContinuousClock()

  /// - Throws: `InferenceError`.
  package init(
    _ weights: TransformerWeights, threadCount: Int, _ precision: KVCache.Precision, _ variant: KernelVariant?
  ) throws(InferenceError) {
    transformer = try Transformer(weights, threadCount: threadCount, variant: variant)
    pool = KVBlockPool(KVLayout(weights.configuration, precision))
  }

  var contextLength: Int { transformer.configuration.contextLength }

  package func makeCache(capacity: Int) -> KVCache { KVCache(pool, capacity: min(capacity, contextLength)) }

  /// Tokens that are read at once: who reads another reply along waits for them.
  private static let piece = 32

  /// The `count` tokens that it would say after `history`; none as long as it has not read most of that.
  /// - Throws: `InferenceError`.
  package func guess(after history: [Int32], count: Int, in cache: KVCache) throws(InferenceError) -> [Int32] {
    guard history.count + count <= cache.capacity else { return [] }
    cache.truncate(to: min(transformer.reusablePrefix(of: history, in: cache), history.count - 1))
    if history.count - cache.count > Self.piece {
      let piece = history[cache.count..<cache.count + Self.piece]
      try transformer.forward(piece, cache: cache, logits: .none, length: history.count)
      return []
    }
    var next = history[cache.count...]
    var guesses: [Int32] = []
    for _ in 0..<count {
      let start = clock.now
      try transformer.forward(next, cache: cache, length: history.count)
      if next.count == 1 {
        let time = start.duration(to: clock.now) / .seconds(1)
        seconds = seconds == 0 ? time : seconds + 0.1 * (time - seconds)
      }
      guard let best = try? Sampler.likeliest(UnsafeBufferPointer(transformer.logits)) else { break }
      guesses.append(best)
      next = guesses[(guesses.count - 1)...]
    }
    return guesses
  }
}
