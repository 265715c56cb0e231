// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import Testing

@Suite("What a step computes")
struct StepPolicyTests {
  private let policy = StepPolicy(batchSize: 128)

  private func writing(_ arrival: UInt64, _ priority: RequestPriority = .interactive) -> StepPolicy.Request {
    .init(priority: priority, arrival: arrival, isWriting: true)
  }

  private func reading(
    _ arrival: UInt64, _ missing: Int, _ priority: RequestPriority = .interactive
  ) -> StepPolicy.Request {
    .init(priority: priority, arrival: arrival, missing: missing, isWriting: false)
  }

  @Test("a prompt alone has the whole step; two share it, who came first goes first")
  func prompts() {
    #expect(policy.tokens(for: []) == [])
    #expect(policy.tokens(for: [reading(1, 1000)]) == [128])
    #expect(policy.tokens(for: [reading(2, 100), reading(1, 100)]) == [28, 100])
    #expect(policy.tokens(for: [reading(1, 100, .background), reading(2, 100)]) == [28, 100])
  }

  @Test("replies that somebody reads along wait little for a prompt; others wait for it")
  func mixed() {
    #expect(policy.tokens(for: [writing(1), reading(2, 1500)]) == [1, 2])
    #expect(policy.tokens(for: (1...4).map { writing($0) } + [reading(5, 1500)]) == [1, 1, 1, 1, 3])
    #expect(policy.tokens(for: [writing(1, .background), reading(2, 1500)]) == [1, 127])
    #expect(policy.tokens(for: [writing(1), reading(2, 1)]) == [1, 1])
  }

  @Test("what a grammar is certain of is computed at once, where it holds up nobody else")
  func certain() {
    func sure(_ arrival: UInt64, _ missing: Int) -> StepPolicy.Request {
      .init(arrival: arrival, missing: missing, isWriting: true)
    }
    #expect(policy.tokens(for: [sure(1, 40)]) == [40])
    #expect(policy.tokens(for: [sure(1, 40), reading(2, 100)]) == [40, 2])
    #expect(policy.tokens(for: [sure(1, 40), writing(2)]) == [3, 1])
    #expect(policy.tokens(for: [sure(1, 400)]) == [128])
  }

  @Test("more replies than a step has room for: nobody is left out for good")
  func crowded() {
    let small = StepPolicy(batchSize: 2)
    #expect(small.tokens(for: [writing(1, .background), writing(2), writing(3)]) == [0, 1, 1])
    #expect(small.tokens(for: [writing(1), writing(2), reading(3, 5)]) == [1, 1, 0])
  }

  @Test("any requests: never more than fits, never more than is missing, and something where there is anything")
  func any() {
    for seed in 0..<2000 {
      var random = RandomSource(seed: UInt64(seed))
      let policy = StepPolicy(batchSize: Int.random(in: 1...64, using: &random))
      let requests = (0..<Int.random(in: 1...40, using: &random)).map { index in
        let isWriting = Bool.random(using: &random)
        return StepPolicy.Request(
          priority: Bool.random(using: &random) ? .interactive : .background, arrival: UInt64(index),
          missing: isWriting ? 1 : Int.random(in: 1...3000, using: &random), isWriting: isWriting)
      }
      let shares = policy.tokens(for: requests)
      #expect(shares.reduce(0, +) <= policy.batchSize && shares.reduce(0, +) > 0, "seed \(seed)")
      #expect(zip(shares, requests).allSatisfy { $0 >= 0 && $0 <= $1.missing }, "seed \(seed)")
    }
  }

  @Test("who runs, who waits, who is refused, who is next")
  func admission() {
    let policy = AdmissionPolicy(running: 2, waiting: 1)
    #expect(policy.decide(running: 1, waiting: 0) == .run)
    #expect(policy.decide(running: 2, waiting: 0) == .wait)
    #expect(policy.decide(running: 2, waiting: 1) == .refuse)
    #expect(policy.decide(running: 1, waiting: 1) == .refuse, "nobody overtakes who waits")
    #expect(AdmissionPolicy.next([]) == nil)
    #expect(AdmissionPolicy.next([(.background, 1), (.interactive, 3), (.interactive, 2)]) == 2)
  }
}

@Suite("Many requests, one set of weights", .timeLimit(.minutes(5)))
struct SchedulingTests {
  private func model(running: Int = 16, waiting: Int = 256, threads: Int = 2) throws -> LanguageModel {
    var options = LanguageModel.LoadOptions(threadCount: threads, contextLength: 512)
    (options.concurrentReplies, options.waitingRequests) = (running, waiting)
    return try LanguageModel(path: Models.fixture("models/phi3-mha/model.gguf").path, options)
  }

  private func options(_ seed: Int, _ tokens: Int = 20) throws -> GenerationOptions {
    try GenerationOptions(
      sampling: .init(temperature: seed % 3 == 0 ? 0 : 1, seed: UInt64(seed)), maximumTokens: tokens)
  }

  @Test("each reply is what it is alone, whoever else is there", arguments: [1, 3, 16])
  func alone(running: Int) async throws {
    let model = try model(running: running)
    func conversation(_ number: Int) async throws -> [[Int32]] {
      let session = try LanguageModelSession(
        model: model, instructions: String(repeating: "Be kind. ", count: number % 8))
      var replies: [[Int32]] = []
      for turn in 0..<3 {
        let line = String(repeating: "word ", count: 1 + (number * 7 + turn) % 40)
        replies.append(try await session.respond(to: line, options: options(number * 3 + turn)).tokens)
      }
      return replies
    }
    var alone: [[[Int32]]] = []
    for number in 0..<24 { alone.append(try await conversation(number)) }
    let together = try await withThrowingTaskGroup(of: (Int, [[Int32]]).self) { group in
      for number in 0..<24 { group.addTask { (number, try await conversation(number)) } }
      return try await group.reduce(into: [Int: [[Int32]]]()) { $0[$1.0] = $1.1 }
    }
    for number in 0..<24 { #expect(together[number] == alone[number], "conversation \(number)") }
    #expect(await model.worker.load == (0, 0))
  }

  @Test("beyond those that may wait a request is refused, and told what to do")
  func overloaded() async throws {
    let model = try model(running: 1, waiting: 1)
    let (started, starts) = AsyncStream<Void>.makeStream()
    let long = Task {
      try await model.complete("Once", .greedy(maximumTokens: 400)) { _ in starts.yield() }
    }
    for await _ in started { break }
    let waits = Task { try await model.complete("Twice", .greedy(maximumTokens: 2)) }
    while await model.worker.load != (1, 1) { await Task.yield() }
    await #expect(throws: LanguageModelError.overloaded(running: 1, waiting: 1)) {
      try await model.complete("Thrice", .greedy(maximumTokens: 2))
    }
    long.cancel()
    #expect(try await long.value.finishReason == .cancelled)
    #expect(try await waits.value.tokens.count == 2)
    #expect(await model.worker.load == (0, 0))
  }

  @Test("a conversation is not written to twice at once")
  func shared() async throws {
    let model = try model()
    let sequence = model.makeSequence()
    let (started, starts) = AsyncStream<Void>.makeStream()
    let options = GenerationOptions.greedy(maximumTokens: 400)
    let first = Task {
      try await model.worker.generate([1, 2, 3], in: sequence, options, endTokens: []) { _ in starts.yield() }
    }
    for await _ in started { break }
    await #expect(throws: InferenceError.sharedSequence) {
      try await model.worker.generate([1, 2], in: sequence, options, endTokens: []) { _ in }
    }
    first.cancel()
    #expect(try await first.value.finishReason == .cancelled)
  }

  @Test("a text is judged in chunks of three tokens and more")
  func perplexity() async throws {
    let model = try model()
    for length in [Int.min, 0, 2] {
      await #expect(throws: LanguageModelError.chunkTooShort(tokens: length)) {
        try await model.perplexity(of: Array("some words to judge by".utf8), contextLength: length) { _, _ in }
      }
    }
    let found = try await model.perplexity(of: Array("some words to judge by".utf8), contextLength: 3) { _, _ in }
    #expect(found.perplexity > 1 && found.perplexity.isFinite && found.chunks > 1)
  }

  @Test("a time limit ends a reply with what there is, and one that still waits with nothing")
  func deadline() async throws {
    let model = try model(running: 1)
    var short = GenerationOptions.greedy(maximumTokens: 100_000)
    short.timeLimit = .milliseconds(30)
    short.stopsAtEnd = false
    async let first = model.complete("Once", short)
    async let second = model.complete("Twice", short)
    let reasons = try await [first.finishReason, second.finishReason]
    #expect(reasons.allSatisfy { $0 == .deadline || $0 == .context }, "\(reasons)")
    #expect(await model.worker.load == (0, 0))
  }

  @Test("background requests wait for interactive ones that come later")
  func priorities() async throws {
    let model = try model(running: 1)
    let (answered, answers) = AsyncStream<String>.makeStream()
    let (started, starts) = AsyncStream<Void>.makeStream()
    let first = Task { try await model.complete("Once", .greedy(maximumTokens: 200)) { _ in starts.yield() } }
    for await _ in started { break }
    func ask(_ name: String, _ priority: RequestPriority) -> Task<Void, any Error> {
      Task {
        var options = GenerationOptions.greedy(maximumTokens: 2)
        options.priority = priority
        _ = try await model.complete(name, options)
        answers.yield(name)
      }
    }
    let background = ask("background", .background)
    while await model.worker.load != (1, 1) { await Task.yield() }
    let interactive = ask("interactive", .interactive)
    while await model.worker.load != (1, 2) { await Task.yield() }
    first.cancel()
    _ = try await (first.value, background.value, interactive.value)
    answers.finish()
    #expect(await answered.reduce(into: []) { $0.append($1) } == ["interactive", "background"])
  }

  /// Whatever becomes of them, every request ends, and no place is lost.
  @Test("10,000 random requests with random ends")
  func ends() async throws {
    let model = try model(running: 4)
    let reasons = try await withThrowingTaskGroup(of: GenerationResult.FinishReason.self) { group in
      var reasons: [GenerationResult.FinishReason] = []
      for seed in 0..<10_000 {
        if seed >= 400, let reason = try await group.next() { reasons.append(reason) }
        group.addTask {
          var random = RandomSource(seed: UInt64(seed))
          var options = try options(seed, Int.random(in: 1...12, using: &random))
          options.priority = Bool.random(using: &random) ? .interactive : .background
          if seed % 5 == 0 { options.timeLimit = .milliseconds(Int.random(in: 0...200, using: &random)) }
          let prompt = String(repeating: "word ", count: Int.random(in: 1...(seed % 9 == 0 ? 60 : 5), using: &random))
          let request = Task { [options] in try await model.complete(prompt, options) }
          if seed % 3 == 0 {
            try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &random)))
            request.cancel()
          }
          do {
            return try await request.value.finishReason
          } catch LanguageModelError.overloaded {
            return .cancelled
          }
        }
      }
      for try await reason in group { reasons.append(reason) }
      return reasons
    }
    #expect(reasons.count == 10_000 && Set(reasons).isSuperset(of: [.length, .cancelled]), "\(Set(reasons))")
    #expect(await model.worker.load == (0, 0))
    #expect(try await model.complete("Once", .greedy(maximumTokens: 3)).tokens.count == 3)
    await model.clearCache()
    #expect(model.cacheByteCount == 0)
  }
}
