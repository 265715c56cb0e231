// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetTokenizer
import Synchronization

/// A reply that is asked for, on its way through steps. Touched only by the worker.
final class InferenceRequest {
  let sequence: CachedSequence
  let options: GenerationOptions
  let arrival: UInt64
  let withdrawal: Withdrawal
  /// The prompt and what was drawn since; its keys and values are computed up to the cache's count.
  private(set) var history: [Int32]
  private(set) var isWriting = false
  private var sampler: Sampler
  private var guided: GuidedOutput?
  /// Tokens that the grammar leaves no choice about, while the model is asked about each.
  private var forced: ArraySlice<Int32> = []
  /// Why the text had to come to its mark, where that is to be told.
  private var closedFor: GenerationResult.FinishReason?
  private let tokenizer: any Tokenizer
  /// Tokens that are never part of a text.
  private let unwritable: [Int32]
  private var reply: ReplyBuilder
  private let emit: @Sendable (String) -> Void
  /// How it ended.
  private(set) var outcome: Result<GenerationResult, any Error>?
  /// Who asked for it, asleep until it has ended or is to lead.
  private var sleeper: CheckedContinuation<Void, Never>?
  private let start: ContinuousClock.Instant
  private var prefillEnd: ContinuousClock.Instant?
  private let promptCount: Int
  private let readsOnly: Bool
  private(set) var guesses = GuessRecord()

  init(
    _ prompt: [Int32], cached: Int, in sequence: CachedSequence, _ options: GenerationOptions, _ reply: ReplyBuilder,
    _ tokenizer: any Tokenizer, arrival: UInt64, start: ContinuousClock.Instant, withdrawal: Withdrawal,
    readsOnly: Bool = false, unwritable: [Int32], emit: @escaping @Sendable (String) -> Void
  ) {
    self.sequence = sequence
    self.options = options
    self.arrival = arrival
    self.start = start
    self.withdrawal = withdrawal
    self.emit = emit
    self.readsOnly = readsOnly
    self.reply = reply
    history = prompt
    promptCount = prompt.count
    self.tokenizer = tokenizer
    self.unwritable = unwritable
    sampler = Sampler(options.sampling)
    guided = options.grammar.map { GuidedOutput($0) }
    self.reply.result.usage.promptTokens = prompt.count
    self.reply.result.usage.cachedTokens = cached
  }

  /// What the policy sees.
  var facts: StepPolicy.Request {
    StepPolicy.Request(
      priority: options.priority, arrival: arrival, missing: history.count - sequence.cache.count,
      isWriting: isWriting)
  }

  /// The next tokens to compute. Logits are wanted after the last of the history, and after each guess behind it.
  func segment(_ count: Int, guesses: [Int32]) -> StepSegment {
    let done = sequence.cache.count
    let logits = done + count == history.count && !readsOnly ? 1 + guesses.count : 0
    return StepSegment(
      sequence.cache, history[done..<done + count] + guesses, logitsCount: logits,
      length: history.count + guesses.count, adapter: sequence.adapter)
  }

  /// Whether there is nothing left to do for one who only wants its prompt read.
  var hasReadAll: Bool { readsOnly && sequence.cache.count == history.count }

  /// Tokens that may be guessed: no more than the reply and the context have room for.
  var guessRoom: Int {
    // A grammar says itself what is certain.
    guard options.speculates, isWriting, guided?.isFree ?? true else { return 0 }
    return min(room, max(0, options.maximumTokens - reply.result.tokens.count - 1))
  }

  /// How many to guess where `best` would pay.
  func guessCount(_ best: Int) -> Int { guesses.count(best) }

  /// There was nothing to guess: it is tried again after a while.
  func guessedNothing() { guesses.record(guessed: 0, accepted: 0) }

  /// Draws the next token and, as long as the guesses agree with what is drawn, those after it.
  /// - Parameter logits: those after the history and so many of the guesses.
  /// - Throws: `SamplingError`.
  func draw(
    guesses: [Int32], _ clock: ContinuousClock, logits: (_ guessed: Int) -> UnsafeMutableBufferPointer<Float>?
  ) throws -> GenerationResult.FinishReason? {
    defer { sequence.cache.truncate(to: history.count - 1) }
    var right = 0
    defer { if !guesses.isEmpty { self.guesses.record(guessed: guesses.count, accepted: right) } }
    while let values = logits(right) {
      if let reason = try draw(values, clock) { return reason }
      guard right < guesses.count, history.last == guesses[right] else { return nil }
      right += 1
    }
    return nil
  }

  /// Tokens of the prompt turned up that another has computed.
  func hasFound(_ count: Int) { reply.result.usage.cachedTokens += count }

  /// Why it ends before the next step; nil: it goes on.
  func reasonToEnd(at now: ContinuousClock.Instant) -> GenerationResult.FinishReason? {
    if withdrawal.isAsked { return .cancelled }
    if let limit = options.timeLimit, start.duration(to: now) >= limit { return .deadline }
    return nil
  }

  /// Draws the next token; returns why the reply ends with it, or nil.
  /// - Throws: `SamplingError`.
  private func draw(
    _ logits: UnsafeMutableBufferPointer<Float>, _ clock: ContinuousClock
  ) throws -> GenerationResult.FinishReason? {
    if !isWriting {
      isWriting = true
      let now = clock.now
      prefillEnd = now
      reply.result.timings.prefillTokensPerSecond = Self.rate(
        promptCount - reply.result.usage.cachedTokens, start.duration(to: now))
      if let flag = options.flags?.raised(by: UnsafeBufferPointer(logits)) {
        reply.result.timings.timeToFirstToken = start.duration(to: now)
        reply.result.flag = flag
        return .flag
      }
    }
    FlagTokens.exclude(unwritable, from: logits)
    if let flags = options.flags { FlagTokens.exclude(flags.tokens, from: logits) }
    let distribution = options.likeliestTold.map {
      LogDistribution(UnsafeBufferPointer(logits), likeliest: max(0, min($0, 100)))
    }
    let next = forced.popFirst()
    let isForced = next != nil
    var token: Int32
    if let next {
      token = next
    } else {
      token = try sample(logits)
      if guided?.closes(insteadOf: token) == true { token = try sample(logits) }
    }
    history.append(token)
    if let distribution {
      reply.result.probabilities.append(distribution.probability(of: token, logit: logits[Int(token)]))
    }
    var reason = reply.append(token, emit)
    if reply.result.tokens.count == 1 { reply.result.timings.timeToFirstToken = start.duration(to: clock.now) }
    if !isForced, reason == .loop, guided?.close() == true { (closedFor, reason) = (.loop, nil) }
    if guided != nil, reason == nil || reason == .length { reason = follow(isForced ? nil : token) ?? reason }
    // The last token drawn is not computed yet.
    return reason ?? (history.count > sequence.cache.capacity ? .context : nil)
  }

  /// - Throws: `SamplingError`.
  private func sample(_ logits: UnsafeMutableBufferPointer<Float>) throws -> Int32 {
    if guided?.constrain(logits, room: room) == false { throw SamplingError.noCandidates }
    return try sampler.sample(
      UnsafeBufferPointer(logits), history: history[...], replyCount: history.count - promptCount)
  }

  /// Tokens that the reply may still have.
  private var room: Int {
    max(0, min(options.maximumTokens - reply.result.tokens.count, sequence.cache.capacity - history.count))
  }

  /// Goes on over a token, and over those that the grammar leaves no choice about: they are computed with the next pass, unless the
  /// model is asked about each.
  /// - Parameter drawn: nil: the token is one of those.
  private func follow(_ drawn: Int32?) -> GenerationResult.FinishReason? {
    if let drawn {
      guided?.accept(drawn)
      forced = (guided?.forced(tokenizer, most: room) ?? [])[...]
    }
    if options.asksAboutForced, options.likeliestTold != nil, !forced.isEmpty { return nil }
    while let token = forced.popFirst() {
      history.append(token)
      if options.likeliestTold != nil {
        reply.result.probabilities.append(
          TokenProbability(chosen: .init(token: token, logProbability: 0), likeliest: []))
      }
      // The last that there is room for may also be the last of all.
      if let reason = reply.append(token, emit), reason != .length { return reason }
    }
    guard let guided, guided.isFinished else {
      return reply.result.tokens.count >= options.maximumTokens ? .length : nil
    }
    return closedFor ?? (guided.isCutOff ? .length : .stop)
  }

  func finish(_ reason: GenerationResult.FinishReason, _ clock: ContinuousClock) {
    if let prefillEnd {
      // The first token costs no step of its own.
      reply.result.timings.decodeTokensPerSecond = Self.rate(
        reply.result.tokens.count - 1, prefillEnd.duration(to: clock.now))
    }
    reply.result.usage.guessedTokens = guesses.guessed
    reply.result.usage.acceptedTokens = guesses.accepted
    outcome = .success(reply.finish(reason, emit))
    wake()
  }

  func fail(_ error: any Error) {
    outcome = .failure(error)
    wake()
  }

  func sleep(_ continuation: CheckedContinuation<Void, Never>) { sleeper = continuation }

  /// Whether anybody slept.
  @discardableResult
  func wake() -> Bool {
    defer { sleeper = nil }
    sleeper?.resume()
    return sleeper != nil
  }

  private static func rate(_ count: Int, _ time: Duration) -> Double {
    let seconds = time / .seconds(1)
    return count > 0 && seconds > 0 ? Double(count) / seconds : 0
  }
}

/// Says from anywhere that a request is no longer wanted.
final class Withdrawal: Sendable {
  private let asked = Atomic(false)

  var isAsked: Bool { asked.load(ordering: .relaxed) }

  func ask() { asked.store(true, ordering: .relaxed) }
}
