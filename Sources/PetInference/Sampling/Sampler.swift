// SPDX-License-Identifier: Apache-2.0
/// Draws tokens from logits; minus infinity masks a token. Applies, in this order: bias, repetition penalty, frequency and presence
/// penalties, temperature, top-k, top-p, min-p.
public struct Sampler: Sendable {
  public struct Options: Sendable, Equatable {
    package var bias: LogitBias
    package var repetition: RepetitionPenalty
    package var counts: CountPenalty
    package var temperature: Temperature
    package var topK: TopK
    package var topP: TopP
    package var minP: MinP
    public var seed: UInt64

    /// - Throws: `SamplingError.outOfRange` naming the option.
    public init(
      temperature: Float = 0.8, topK: Int = 40, topP: Float = 0.95, minP: Float = 0.05, repetitionPenalty: Float = 1,
      repetitionWindow: Int = 64, frequencyPenalty: Float = 0, presencePenalty: Float = 0,
      logitBias: [Int32: Float] = [:], seed: UInt64 = 0
    ) throws(SamplingError) {
      bias = try LogitBias(logitBias)
      counts = try CountPenalty(frequency: frequencyPenalty, presence: presencePenalty)
      repetition = try RepetitionPenalty(penalty: repetitionPenalty, window: repetitionWindow)
      self.temperature = try Temperature(temperature)
      self.topK = try TopK(topK)
      self.topP = try TopP(topP)
      self.minP = try MinP(minP)
      self.seed = seed
    }

    /// Whether bias and penalties leave the order of the logits unchanged.
    var keepsOrder: Bool { bias.changesNothing && repetition.changesNothing && counts.changesNothing }
  }

  package let options: Options
  private var random: RandomSource

  public init(_ options: Options) {
    self.options = options
    random = RandomSource(seed: options.seed)
  }

  /// Draws the next token. O(vocabulary).
  /// - Parameters:
  ///   - history: the tokens so far, for the repetition penalty.
  ///   - replyCount: how many of the last tokens are the reply, for the frequency and presence penalties.
  /// - Throws: `SamplingError.notANumber` where no logit is a number.
  public mutating func sample(
    _ logits: UnsafeBufferPointer<Float>, history: ArraySlice<Int32>, replyCount: Int = 0
  ) throws(SamplingError) -> Int32 {
    options.temperature.isGreedy && options.keepsOrder
      ? try Self.likeliest(logits) : try draw(logits, history, reply: history.suffix(max(0, replyCount)))
  }

  private mutating func draw(
    _ logits: UnsafeBufferPointer<Float>, _ history: ArraySlice<Int32>, reply: ArraySlice<Int32>
  ) throws(SamplingError) -> Int32 {
    // Temperature keeps the order, so the likeliest may be picked first unless something else changes it.
    let picksFirst = options.keepsOrder && options.topK.count > 0
    var candidates =
      picksFirst
      ? Candidates(likeliest: min(options.topK.count, logits.count), of: logits) : Candidates(logits: logits)
    guard !candidates.entries.isEmpty else { throw .notANumber }
    options.bias.apply(to: &candidates)
    options.repetition.apply(to: &candidates, history: history)
    options.counts.apply(to: &candidates, reply: reply)
    guard let best = candidates.best else { throw .noCandidates }
    guard !options.temperature.isGreedy else { return best.token }
    options.temperature.apply(to: &candidates)
    options.topK.apply(to: &candidates)
    options.topP.apply(to: &candidates)
    options.minP.apply(to: &candidates)
    // Inverse of the cumulative distribution at a random point.
    var rest = Float(random.unit())
    for (entry, probability) in zip(candidates.entries, candidates.probabilities()) {
      rest -= probability
      if rest < 0 { return entry.token }
    }
    return best.token  // rounding may leave the sum just under 1; an infinite logit has no probability
  }

  /// The likeliest token; of equals, the one with the lowest id. O(vocabulary).
  /// - Throws: `SamplingError.notANumber` where no logit is a number.
  package static func likeliest(_ logits: UnsafeBufferPointer<Float>) throws(SamplingError) -> Int32 {
    var best = -1
    var peak = -Float.infinity
    for (index, logit) in logits.enumerated() where logit > peak { (best, peak) = (index, logit) }
    guard best >= 0 else { throw .notANumber }
    return Int32(truncatingIfNeeded: best)
  }
}
