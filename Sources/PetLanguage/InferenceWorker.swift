import PetInference
import PetTokenizer

/// One door to a transformer: everything that computes passes through this actor, one request at a time, on a queue of
/// its own.
package actor InferenceWorker {
  private let executor = QueueExecutor(label: "pet.inference")
  private let transformer: Transformer
  private let tokenizer: any Tokenizer

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let threadCount: Int
  nonisolated let kernelName: String

  init(transformer: sending Transformer, tokenizer: any Tokenizer) {
    threadCount = transformer.threadCount
    kernelName = transformer.kernelName
    self.transformer = transformer
    self.tokenizer = tokenizer
  }

  /// Computes what of `prompt` is not cached yet, so that a reply starts sooner.
  func prefill(_ prompt: [Int32], into sequence: CachedSequence) throws {
    let cached = transformer.reusablePrefix(of: prompt, in: sequence.cache)
    sequence.cache.truncate(to: cached)
    guard cached < prompt.count else { return }
    try transformer.forward(prompt[cached...], cache: sequence.cache, logits: .none) { Task.isCancelled }
  }

  /// Generates a reply to `prompt`. Cancelling the task ends it at the next token, or the next batch of the prompt, with
  /// what there is.
  package func generate(
    _ prompt: [Int32], in sequence: CachedSequence, _ options: GenerationOptions, endTokens: Set<Int32>,
    continuesText: Bool = false, emit: (String) -> Void
  ) throws -> GenerationResult {
    guard !prompt.isEmpty else { throw LanguageModelError.emptyPrompt }
    let clock = ContinuousClock()
    let start = clock.now
    let cache = sequence.cache
    // The last token is always computed: its logits are what comes next.
    let cached = min(transformer.reusablePrefix(of: prompt, in: cache), prompt.count - 1)
    cache.truncate(to: cached)
    var reply = ReplyBuilder(
      tokenizer, options, endTokens: options.stopsAtEnd ? endTokens : [], continuesText: continuesText)
    reply.result.usage.promptTokens = prompt.count
    reply.result.usage.cachedTokens = cached
    do {
      try transformer.forward(prompt[cached...], cache: cache) { Task.isCancelled }
    } catch {
      guard error == .cancelled else { throw error }
      return reply.finish(.cancelled, emit)
    }
    let prefillEnd = clock.now
    reply.result.timings.prefillTokensPerSecond = rate(prompt.count - cached, start.duration(to: prefillEnd))
    var history = prompt
    if let flag = options.flags?.raised(by: UnsafeBufferPointer(transformer.logits)) {
      reply.result.timings.timeToFirstToken = start.duration(to: clock.now)
      reply.result.flag = flag
      return reply.finish(.flag, emit)
    }
    var sampler = Sampler(options.sampling)
    while true {
      options.flags?.exclude(from: transformer.logits)
      let token = try sampler.sample(UnsafeBufferPointer(transformer.logits), history: history[...])
      history.append(token)
      let reason = reply.append(token, emit)
      if reply.result.tokens.count == 1 { reply.result.timings.timeToFirstToken = start.duration(to: clock.now) }
      if let reason { return finish(&reply, reason, since: prefillEnd, clock, emit) }
      if Task.isCancelled { return finish(&reply, .cancelled, since: prefillEnd, clock, emit) }
      if cache.count == cache.capacity { return finish(&reply, .context, since: prefillEnd, clock, emit) }
      do {
        // One token, but for the step at which LongRoPE computes the past anew.
        try transformer.forward(history[(history.count - 1)...], cache: cache) { Task.isCancelled }
      } catch {
        guard error == .cancelled else { throw error }
        return finish(&reply, .cancelled, since: prefillEnd, clock, emit)
      }
    }
  }

  /// Logits of every position of `tokens`, handed over one after another.
  func eachLogits(
    _ tokens: [Int32], in sequence: CachedSequence, _ receive: @escaping (Int, UnsafeBufferPointer<Float>) -> Void
  ) throws {
    try transformer.forward(tokens[...], cache: sequence.cache, logits: .each(receive)) { Task.isCancelled }
  }

  private func finish(
    _ reply: inout ReplyBuilder, _ reason: GenerationResult.FinishReason, since: ContinuousClock.Instant,
    _ clock: ContinuousClock, _ emit: (String) -> Void
  ) -> GenerationResult {
    // The first token costs no pass of its own.
    reply.result.timings.decodeTokensPerSecond = rate(reply.result.tokens.count - 1, since.duration(to: clock.now))
    return reply.finish(reason, emit)
  }

  private func rate(_ count: Int, _ time: Duration) -> Double {
    let seconds = time / .seconds(1)
    return count > 0 && seconds > 0 ? Double(count) / seconds : 0
  }
}

/// The keys and values of one conversation. Touched only by the worker that computes them.
package final class CachedSequence: @unchecked Sendable {
  let cache: KVCache

  init(_ cache: sending KVCache) { self.cache = cache }
}
