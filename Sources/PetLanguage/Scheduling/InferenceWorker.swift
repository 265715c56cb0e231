// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetTokenizer

/// One door to a transformer: everything that computes passes through this actor, on a queue of its own. Replies that are asked
/// for at the same time are written together, one step of all of them after the other.
package actor InferenceWorker {
  private let executor = QueueExecutor(label: "pet.inference")
  let transformer: Transformer
  private let tokenizer: any Tokenizer
  /// Tokens that are never part of a text.
  private let unwritable: [Int32]
  /// What was computed before, for prompts that begin alike.
  private let prefixes: PrefixCache
  /// The generation of `prefixes` that requests have looked into.
  private var known: UInt64 = 0
  private let clock = ContinuousClock()
  let draft: DraftModel?
  private(set) var costs = StepCosts()
  let steps: StepPolicy
  private let admission: AdmissionPolicy
  private let metrics: RequestMetrics
  private var running: [InferenceRequest] = [] {
    didSet { if running.count != oldValue.count { tellLoad() } }
  }
  private var waiting: [InferenceRequest] = [] {
    didSet { if waiting.count != oldValue.count { tellLoad() } }
  }
  /// Whether one of those who wait for a reply makes the steps of all.
  private var isLed = false
  private var arrivals: UInt64 = 0
  /// Steps that were made.
  package private(set) var passes: UInt64 = 0
  let embeddings = TurnQueue()

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let threadCount: Int
  nonisolated let kernelName: String

  init(
    transformer: sending Transformer, draft: sending DraftModel?, tokenizer: any Tokenizer,
    unwritable: [Int32], prefixes: sending PrefixCache, admission: AdmissionPolicy, metrics: RequestMetrics
  ) {
    self.metrics = metrics
    threadCount = transformer.threadCount
    kernelName = transformer.kernelName
    steps = StepPolicy(batchSize: transformer.batchSize)
    self.admission = AdmissionPolicy(
      running: max(1, min(admission.running, transformer.batchSize)), waiting: max(0, admission.waiting))
    self.transformer = transformer
    self.tokenizer = tokenizer
    self.unwritable = unwritable
    self.prefixes = prefixes
    self.draft = draft
  }

  /// Requests that have a place in steps, and those that wait for one.
  package var load: (running: Int, waiting: Int) { (running.count, waiting.count) }

  private func tellLoad() { metrics.record(running: running.count, waiting: waiting.count) }

  /// Computes what of `prompt` is not cached yet, so that a reply starts sooner: a request like others, of which nothing is
  /// written.
  /// - Throws: as `generate`; `InferenceError.cancelled`.
  func prefill(_ prompt: [Int32], into sequence: CachedSequence) async throws {
    guard !prompt.isEmpty else { return }
    var options = GenerationOptions.greedy(maximumTokens: 1)
    // Whoever waits for a word goes first.
    options.priority = .background
    let result = try await submit(
      prompt, upTo: prompt.count, in: sequence, options, endTokens: [], readsOnly: true
    ) { _ in }
    if result.finishReason == .cancelled { throw InferenceError.cancelled }
  }

  /// Leaves in `cache` what it has of the first tokens of a prompt, or what another sequence has computed of them where
  /// that is more.
  private func reuse(_ prompt: [Int32], upTo end: Int, in sequence: CachedSequence) {
    let cache = sequence.cache
    cache.truncate(to: min(end, transformer.reusablePrefix(of: prompt, in: cache, adapter: sequence.adapter)))
    let known = prefixes.longestPrefix(
      of: prompt[..<end], origin: transformer.origin(length: prompt.count, sequence.adapter))
    if known.count > cache.count { cache.adopt(known) }
  }

  /// Forgets what sequences have computed that are gone.
  func clearPrefixes() { prefixes.removeAll() }

  /// Generates a reply to `prompt`. Cancelling the task ends it at the next step, with what there is.
  /// - Parameter sequence: of no other request that runs or waits.
  /// - Throws: `LanguageModelError.emptyPrompt`, `.overloaded`; `InferenceError`, `SamplingError`.
  package func generate(
    _ prompt: [Int32], in sequence: CachedSequence, _ options: GenerationOptions, endTokens: Set<Int32>,
    continuesText: Bool = false, emit: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    guard !prompt.isEmpty else { throw LanguageModelError.emptyPrompt }
    // The last token is always computed: its logits are what comes next.
    return try await submit(
      prompt, upTo: prompt.count - 1, in: sequence, options, endTokens: endTokens, continuesText: continuesText,
      emit: emit)
  }

  private func submit(
    _ prompt: [Int32], upTo end: Int, in sequence: CachedSequence, _ options: GenerationOptions, endTokens: Set<Int32>,
    continuesText: Bool = false, readsOnly: Bool = false, emit: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    let start = clock.now
    let decision = admission.decide(running: running.count, waiting: waiting.count)
    guard decision != .refuse else {
      throw LanguageModelError.overloaded(running: running.count, waiting: waiting.count)
    }
    guard !(running + waiting).contains(where: { $0.sequence === sequence }) else {
      throw InferenceError.sharedSequence
    }
    let cache = sequence.cache
    reuse(prompt, upTo: end, in: sequence)
    try transformer.check(prompt[cache.count...], cache, sequence.adapter)
    let reply = ReplyBuilder(
      tokenizer, options, endTokens: options.stopsAtEnd ? endTokens : [], continuesText: continuesText)
    let withdrawal = Withdrawal()
    arrivals += 1
    let request = InferenceRequest(
      prompt, cached: cache.count, in: sequence, options, reply, tokenizer, arrival: arrivals, start: start,
      withdrawal: withdrawal, readsOnly: readsOnly, unwritable: unwritable, emit: emit)
    if request.hasReadAll {
      request.finish(.stop, clock)
      return try await outcome(of: request)
    }
    if decision == .run { running.append(request) } else { waiting.append(request) }
    return try await withTaskCancellationHandler {
      try await outcome(of: request)
    } onCancel: {
      withdrawal.ask()
    }
  }

  /// Leads until the request has ended, or sleeps while another leads. So no task outlives the requests, and the worker goes
  /// with the last who holds it.
  private func outcome(of request: InferenceRequest) async throws -> GenerationResult {
    while true {
      if let outcome = request.outcome { return try outcome.get() }
      if isLed {
        await withCheckedContinuation { request.sleep($0) }
      } else {
        isLed = true
        while request.outcome == nil {
          endAndAdmit()
          step()
          // Whoever comes, and whatever else is to be computed, has its turn between steps.
          if request.outcome == nil { await Task.yield() }
        }
        isLed = false
        _ = (running + waiting).first { $0.wake() }
      }
    }
  }

  /// Logits of every position of `tokens`, handed over one after another.
  func eachLogits(
    _ tokens: [Int32], in sequence: CachedSequence, _ receive: @escaping (Int, UnsafeBufferPointer<Float>) -> Void
  ) throws {
    try transformer.forward(
      tokens[...], cache: sequence.cache, adapter: sequence.adapter, logits: .each(receive)
    ) { Task.isCancelled }
  }

  /// Lets go who is done for, and in who waits.
  private func endAndAdmit() {
    let now = clock.now
    func remain(_ request: InferenceRequest) -> Bool {
      guard let reason = request.reasonToEnd(at: now) else { return true }
      request.finish(reason, clock)
      prefixes.insert(request.sequence.cache.prefix)
      return false
    }
    running = running.filter(remain)
    waiting = waiting.filter(remain)
    while running.count < admission.running,
      let next = AdmissionPolicy.next(waiting.map { ($0.options.priority, $0.arrival) })
    {
      let request = waiting.remove(at: next)
      catchUp(request)
      running.append(request)
    }
  }

  /// What one request has read meanwhile, another need not.
  private func shareNews() {
    guard known != prefixes.generation else { return }
    known = prefixes.generation
    for request in running where !request.isWriting { catchUp(request) }
  }

  /// Takes what others have computed of a prompt since it was looked for.
  private func catchUp(_ request: InferenceRequest) {
    let before = request.sequence.cache.count
    reuse(request.history, upTo: request.history.count - 1, in: request.sequence)
    request.hasFound(request.sequence.cache.count - before)
  }

  private func step() {
    shareNews()
    let shares = steps.tokens(for: running.map(\.facts))
    let chosen = running.indices.filter { shares[$0] > 0 }
    guard !chosen.isEmpty else { return }
    let guesses = guesses(for: chosen.map { running[$0] }, shares: chosen.map { shares[$0] })
    do {
      let start = clock.now
      func segments() -> [StepSegment] { zip(chosen, guesses).map { running[$0].segment(shares[$0], guesses: $1) } }
      do {
        try transformer.step(segments())
      } catch .notEnoughMemory {
        // What is only kept for later goes first.
        prefixes.removeAll()
        // Segments anew: a cache may have become shorter.
        try transformer.step(segments())
      }
      passes += 1
      costs.record(
        rows: zip(chosen, guesses).reduce(0) { $0 + shares[$1.0] + $1.1.count },
        seconds: start.duration(to: clock.now) / .seconds(1))
    } catch {
      fail(error)
      return
    }
    for index in chosen where running[index].hasReadAll {
      prefixes.insert(running[index].sequence.cache.prefix)
      running[index].finish(.stop, clock)
    }
    for (place, index) in chosen.enumerated() {
      guard transformer.logits(ofSegment: place) != nil else { continue }
      let request = running[index]
      let hasRead = !request.isWriting
      do {
        let reason = try request.draw(guesses: guesses[place], clock) { [transformer] in
          transformer.logits(ofSegment: place, back: guesses[place].count - $0)
        }
        if let reason { request.finish(reason, clock) }
      } catch {
        request.fail(error)
      }
      if hasRead || request.outcome != nil { prefixes.insert(request.sequence.cache.prefix) }
    }
    running.removeAll { $0.outcome != nil }
  }

  /// Ends those whom the failure of a step concerns. What each asks was looked at when it came: this is memory, or the
  /// model's file, and all of them are in want of it; or a file that some have keys and values from.
  private func fail(_ error: any Error) {
    var failing: [InferenceRequest] = []
    if case InferenceError.fileLost(let path) = error, path != transformer.weights.file.path {
      failing = running.filter { $0.sequence.cache.lostFile == path }
    }
    if failing.isEmpty { failing = running }
    for request in failing { request.fail(error) }
    running.removeAll { $0.outcome != nil }
    // Others may have been computed already, but nothing was drawn from that.
    for request in running { request.sequence.cache.truncate(to: request.history.count - 1) }
  }
}

/// The keys and values of one conversation, and the adapter that they belong to. Touched only by the worker that computes them.
package final class CachedSequence: @unchecked Sendable {
  let cache: KVCache
  let adapter: AdapterWeights?
  /// What a smaller model has read of the conversation.
  var draftCache: KVCache?

  init(_ cache: sending KVCache, adapter: AdapterWeights? = nil) {
    self.cache = cache
    self.adapter = adapter
  }
}
