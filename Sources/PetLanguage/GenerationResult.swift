// SPDX-License-Identifier: Apache-2.0
/// A finished reply.
public struct GenerationResult: Sendable, Equatable {
  public enum FinishReason: String, Sendable {
    /// The model ended the reply, or a stop string did.
    case stop
    /// The reply reached the most tokens asked for.
    case length
    /// The reply began to repeat itself.
    case loop
    /// The context is full.
    case context
    case cancelled
    /// The time was up.
    case deadline
    /// The model raised a flag instead of replying.
    case flag
  }

  public var text: String
  /// The tokens as they were drawn, or as a grammar left no choice about them; an end token included.
  public var tokens: [Int32]
  /// Of each of the tokens, where that was asked for.
  package var probabilities: [TokenProbability] = []
  public var finishReason: FinishReason
  /// The flag that was raised. The text is then empty, or what the program answers in the model's place.
  public var flag: Int32?
  public var usage: Usage
  public var timings: Timings

  public init(
    text: String, tokens: [Int32], finishReason: FinishReason, flag: Int32? = nil, usage: Usage = Usage(),
    timings: Timings = Timings()
  ) {
    self.text = text
    self.tokens = tokens
    self.finishReason = finishReason
    self.flag = flag
    self.usage = usage
    self.timings = timings
  }

  public struct Usage: Sendable, Equatable {
    public var promptTokens = 0
    /// Tokens of the prompt that were still in the KV cache and cost nothing.
    public var cachedTokens = 0
    public var completionTokens = 0
    /// Tokens that were guessed ahead, and how many of them were right.
    public var guessedTokens = 0
    public var acceptedTokens = 0
    /// Turns of the conversation, a question with its answer each, that were left out to make room for this one.
    public var droppedTurns = 0

    public init() {}
  }

  public struct Timings: Sendable, Equatable {
    /// From the request to the first token.
    public var timeToFirstToken = Duration.zero
    /// Prompt tokens computed per second; 0 where there was no time.
    public var prefillTokensPerSecond = 0.0
    /// Tokens after the first, per second.
    public var decodeTokensPerSecond = 0.0

    public init() {}
  }
}
