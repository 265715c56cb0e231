// SPDX-License-Identifier: Apache-2.0
import PetInference

/// How a reply is generated and where it ends.
public struct GenerationOptions: Sendable, Equatable {
  public var sampling: Sampler.Options
  /// Most tokens of a reply; it also ends where the context does.
  public var maximumTokens: Int
  /// Text that ends a reply and is left out of it.
  public var stopStrings: [String]
  /// Whether a special token that ends a turn ends the reply. False only to measure speed.
  public var stopsAtEnd: Bool
  /// Whether a reply that repeats one phrase over and over ends there.
  public var stopsAtLoop: Bool

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
  public var flags: FlagTokens?

  /// Whether the seed was drawn for this run: the same request will not come again, so that its answer is not worth keeping.
  public var isSeedRandom = false

  /// Whether the same request gives the same reply whenever it is made again.
  public var isRepeatable: Bool { sampling.temperature.value == 0 || !isSeedRandom }

  /// Whether old turns are left out only as far as this reply needs their room, and not to half of the context: worth it where the
  /// conversation is not gone on with.
  package var keepsMostTurns = false

  /// How many of the likeliest tokens are told with each token of the reply; nil: none, nor the token's own probability. At most 100.
  public var likeliestTold: Int?

  /// Whether the model is asked how likely the tokens are that a grammar leaves no choice about, which takes a step for each; otherwise
  /// they count as certain.
  public var asksAboutForced = false

  /// - Throws: `SamplingError.countOutOfRange` unless 1 <= maximumTokens <= 1,000,000.
  public init(
    sampling: Sampler.Options, maximumTokens: Int = 256, stopStrings: [String] = [], stopsAtEnd: Bool = true,
    stopsAtLoop: Bool = false
  ) throws(SamplingError) {
    self.sampling = sampling
    self.maximumTokens = try SamplingError.check("maximum tokens", count: maximumTokens, 1...1_000_000)
    self.stopStrings = stopStrings.filter { !$0.isEmpty }
    self.stopsAtEnd = stopsAtEnd
    self.stopsAtLoop = stopsAtLoop
  }

  /// Always the likeliest token.
  public static func greedy(maximumTokens: Int = 256) throws(SamplingError) -> GenerationOptions {
    try GenerationOptions(sampling: Sampler.Options(temperature: 0), maximumTokens: maximumTokens)
  }
}
