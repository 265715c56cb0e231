// SPDX-License-Identifier: Apache-2.0
import PetInference

/// How a reply is generated and where it ends.
public struct GenerationOptions: Sendable, Equatable {
  package var sampling: Sampler.Options
  /// Most tokens of a reply, 1 to 1,000,000; it also ends where the context does.
  public var maximumTokens: Int
  /// Text that ends a reply and is left out of it; empty ones count for nothing.
  public var stopStrings: [String] = []
  /// Whether a special token that ends a turn ends the reply. False only to measure speed.
  public var stopsAtEnd = true
  /// Whether a reply that repeats one phrase over and over ends there.
  public var stopsAtLoop = false

  /// Who waits for the reply, where others are written at the same time.
  public var priority = RequestPriority.interactive
  /// From when the model has the request, waiting for replies to others included, for earlier turns of the same conversation
  /// not; the reply then ends with what there is. Nil: none.
  public var timeLimit: Duration?

  /// What the reply must look like (``LanguageModel/outputGrammar(jsonSchema:)``); of the model that replies. The reply ends where
  /// nothing can follow.
  public var grammar: OutputGrammar?

  /// Whether tokens may be guessed ahead where that is quicker; what is said does not depend on it.
  public var speculates = true

  /// Where these are likely at the start of a reply, the model does not reply.
  package var flags: FlagTokens?

  /// Whether the seed was drawn for this run: the same request will not come again, so that its answer is not worth keeping.
  package var isSeedRandom = false

  /// Whether the same request gives the same reply whenever it is made again.
  package var isRepeatable: Bool { sampling.temperature.value == 0 || !isSeedRandom }

  /// Whether old turns are left out only as far as this reply needs their room, and not to half of the context: worth it where the
  /// conversation is not gone on with.
  package var keepsMostTurns = false

  /// How many of the likeliest tokens are told with each token of the reply; nil: none, nor the token's own probability. At most 100.
  package var likeliestTold: Int?

  /// Whether the model is asked how likely the tokens are that a grammar leaves no choice about, which takes a step for each; otherwise
  /// they count as certain.
  package var asksAboutForced = false

  /// The first value that these were made with and that is out of its range.
  private var refused: SamplingError?

  /// Does not throw: a value out of its range is a `SamplingError` when a reply is asked for, before anything is computed.
  /// - Parameters:
  ///   - temperature: 0 (always the likeliest token) to 10; usual values are 0.3 to 1.
  ///   - maximumTokens: 1 to 1,000,000.
  ///   - topK: only the so many likeliest tokens may come, 0 to 10,000,000; 0: all.
  ///   - topP: only the likeliest tokens that have this probability together, 0 to 1; 1: all.
  ///   - minP: only tokens that are at least so likely as this part of the likeliest, 0 to 1; 0: all.
  ///   - repetitionPenalty: by how much tokens of the last 64 are held back; 1: not at all; usual values are 1 to 1.3.
  ///   - seed: the same one gives the same reply to the same prompt. Nil: a random one, the same for all replies with these
  ///     options.
  public init(
    temperature: Double = 0.8, maximumTokens: Int = 256, topK: Int = 40, topP: Double = 0.95, minP: Double = 0.05,
    repetitionPenalty: Double = 1, seed: UInt64? = nil
  ) {
    self.maximumTokens = maximumTokens
    do throws(SamplingError) {
      sampling = try Sampler.Options(
        temperature: Float(temperature), topK: topK, topP: Float(topP), minP: Float(minP),
        repetitionPenalty: Float(repetitionPenalty))
    } catch {
      (sampling, refused) = (Self.defaultSampling, error)
    }
    isSeedRandom = seed == nil && temperature != 0
    sampling.seed = isSeedRandom ? .random(in: .min ... .max) : seed ?? 0
  }

  /// For programs, which tell of a wrong value before they load a model.
  /// - Throws: `SamplingError.countOutOfRange` unless 1 <= maximumTokens <= 1,000,000.
  package init(
    sampling: Sampler.Options, maximumTokens: Int = 256, stopStrings: [String] = [], stopsAtEnd: Bool = true,
    stopsAtLoop: Bool = false
  ) throws(SamplingError) {
    self.sampling = sampling
    self.maximumTokens = maximumTokens
    self.stopStrings = stopStrings.filter { !$0.isEmpty }
    self.stopsAtEnd = stopsAtEnd
    self.stopsAtLoop = stopsAtLoop
    try check()
  }

  /// Always the likeliest token.
  public static func greedy(maximumTokens: Int = 256) -> GenerationOptions {
    GenerationOptions(temperature: 0, maximumTokens: maximumTokens)
  }

  /// - Throws: `SamplingError.outOfRange`, `.countOutOfRange`.
  package func check() throws(SamplingError) {
    if let refused { throw refused }
    _ = try SamplingError.check("maximum tokens", count: maximumTokens, 1...1_000_000)
  }

  private static let defaultSampling: Sampler.Options = {
    do { return try Sampler.Options() } catch { preconditionFailure("\(error)") }
  }()
}
