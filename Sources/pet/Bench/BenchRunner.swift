// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// Runs tests on one transformer and takes the time.
struct BenchRunner {
  let transformer: Transformer
  /// One for each sequence that is written at once.
  let caches: [KVCache]
  let repetitions: Int
  let clock = ContinuousClock()

  init(_ transformer: Transformer, caches: [KVCache], repetitions: Int) {
    self.transformer = transformer
    self.caches = caches
    self.repetitions = repetitions
  }

  /// What the repetitions of one test took.
  struct Times {
    /// Each repetition as a whole.
    var runs: [Duration] = []
    /// The prompt of each, up to the first token of the reply.
    var prompts: [Duration] = []
    /// Each token of each reply; of several sequences, each step that gives all of them one.
    var tokens: [Duration] = []
  }

  /// Tokens that `measure` computes for a test, the repetition that is not counted included.
  func work(_ test: BenchTest) -> Int { test.sequences * test.depth + (repetitions + 1) * test.tokens }

  /// Runs a test once without counting it, then as often as asked.
  /// - Parameter advance: told how many tokens more are done; what it takes is not counted for single tokens.
  func measure(_ test: BenchTest, advance: (Int) -> Void) throws(InferenceError) -> Times {
    for cache in caches[..<test.sequences] { try fill(cache, to: test.depth, advance) }
    _ = try run(test, advance)
    var times = Times()
    times.tokens.reserveCapacity(repetitions * test.reply)
    for _ in 0..<repetitions {
      let (prompt, tokens) = try run(test, advance)
      times.prompts.append(prompt)
      times.tokens += tokens
      times.runs.append(tokens.reduce(prompt, +))
    }
    return times
  }

  private func run(_ test: BenchTest, _ advance: (Int) -> Void) throws(InferenceError)
    -> (prompt: Duration, tokens: [Duration])
  {
    let used = caches[..<test.sequences]
    for cache in used { cache.truncate(to: test.depth) }
    let cache = caches[0]
    var prompt = Duration.zero
    if test.prompt > 0 {
      let tokens = (0..<test.prompt).map(token)
      let start = clock.now
      var done = 0
      try transformer.forward(tokens[...], cache: cache) {
        advance(cache.count - test.depth - done)
        done = cache.count - test.depth
        return false
      }
      prompt = start.duration(to: clock.now)
      advance(test.prompt - done)
    }
    var times: [Duration] = []
    times.reserveCapacity(test.reply)
    for index in 0..<test.reply {
      let tokens = [token(index)]
      let start = clock.now
      if test.sequences == 1 {
        try transformer.forward(tokens[...], cache: cache)
      } else {
        try transformer.step(used.map { StepSegment($0, tokens[...]) })
      }
      times.append(start.duration(to: clock.now))
      advance(test.sequences)
    }
    return (prompt, times)
  }

  func fill(_ cache: KVCache, to depth: Int, _ advance: (Int) -> Void) throws(InferenceError) {
    cache.truncate(to: depth)
    let missing = (cache.count..<depth).map(token)
    if !missing.isEmpty { try transformer.forward(missing[...], cache: cache, logits: .none) }
    advance(depth)
  }

  /// Any tokens do: speed does not depend on them.
  func token(_ index: Int) -> Int32 {
    Int32(truncatingIfNeeded: (index * 7919 + 13) % transformer.configuration.vocabularySize)
  }
}
