import PetEngine

/// What a generation cost, as `--json` prints it.
package struct UsageReport: Codable, Sendable, Equatable {
  package let promptTokens: Int
  package let cachedTokens: Int
  package let completionTokens: Int
  package let guessedTokens: Int
  package let acceptedTokens: Int
  package let droppedTurns: Int

  enum CodingKeys: String, CodingKey {
    case promptTokens = "prompt_tokens"
    case cachedTokens = "cached_tokens"
    case completionTokens = "completion_tokens"
    case guessedTokens = "guessed_tokens"
    case acceptedTokens = "accepted_tokens"
    case droppedTurns = "dropped_turns"
  }

  package init(_ usage: GenerationResult.Usage) {
    promptTokens = usage.promptTokens
    cachedTokens = usage.cachedTokens
    completionTokens = usage.completionTokens
    guessedTokens = usage.guessedTokens
    acceptedTokens = usage.acceptedTokens
    droppedTurns = usage.droppedTurns
  }
}

/// How fast it went; null where nothing was measured, as of words that no model wrote.
package struct TimingsReport: Codable, Sendable, Equatable {
  package let timeToFirstToken: Double?
  /// Of a prompt that was not all known already.
  package let prefill: Double?
  /// Of a reply of more than one token.
  package let decode: Double?

  enum CodingKeys: String, CodingKey {
    case timeToFirstToken = "ttft_ms"
    case prefill = "prefill_tps"
    case decode = "decode_tps"
  }

  package init(_ timings: GenerationResult.Timings) {
    func measured(_ value: Double) -> Double? { value > 0 ? Self.tenths(value) : nil }
    timeToFirstToken = measured(timings.timeToFirstToken / .milliseconds(1))
    prefill = measured(timings.prefillTokensPerSecond)
    decode = measured(timings.decodeTokensPerSecond)
  }

  /// Null rather than missing: programs can rely on the keys.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(timeToFirstToken, forKey: .timeToFirstToken)
    try values.encode(prefill, forKey: .prefill)
    try values.encode(decode, forKey: .decode)
  }

  package static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
