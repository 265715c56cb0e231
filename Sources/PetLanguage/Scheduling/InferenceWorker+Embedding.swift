import PetInference

extension InferenceWorker {
  /// The mean hidden state of `tokens` behind the last norm, as a direction; little at a time while replies are written.
  /// - Parameter sequence: an empty one.
  /// - Throws: `InferenceError`, `.cancelled` among them; `SamplingError.notANumber`.
  func embed(_ tokens: [Int32], in sequence: CachedSequence) async throws -> [Float] {
    let cache = sequence.cache
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
