// SPDX-License-Identifier: Apache-2.0
import PetInference

extension InferenceWorker {
  /// The mean hidden state of `tokens` behind the last norm, as a direction; little at a time while replies are written.
  /// One text after the other: however many there are, the replies lose the time of one, and the memory.
  /// - Parameter sequence: an empty one, and again afterwards.
  /// - Throws: `InferenceError`, `.cancelled` among them; `SamplingError.notANumber`.
  func embed(_ tokens: [Int32], in sequence: CachedSequence) async throws -> [Float] {
    do { try await embeddings.beginUnlessCancelled() } catch { throw InferenceError.cancelled }
    let cache = sequence.cache
    defer {
      cache.truncate(to: 0)
      embeddings.end()
    }
    var mean = MeanState(width: transformer.configuration.width)
    while cache.count < tokens.count {
      guard !Task.isCancelled else { throw InferenceError.cancelled }
      let share = load.running == 0 ? transformer.batchSize : StepPolicy.rowsOfReading
      let part = tokens[cache.count..<min(cache.count + share, tokens.count)]
      try transformer.forward(
        part, cache: cache, adapter: sequence.adapter, logits: .states { mean.add($1) }, length: tokens.count)
      await Task.yield()
    }
    guard let direction = mean.direction else { throw SamplingError.notANumber }
    return direction
  }
}
