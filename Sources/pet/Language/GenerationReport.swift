import PetEngine

/// What a generation cost, as `--json` prints it.
struct UsageReport: Encodable {
  let promptTokens: Int
  let cachedTokens: Int
  let completionTokens: Int
  let guessedTokens: Int
  let acceptedTokens: Int
  let droppedTurns: Int

  enum CodingKeys: String, CodingKey {
    case promptTokens = "prompt_tokens"
    case cachedTokens = "cached_tokens"
    case completionTokens = "completion_tokens"
    case guessedTokens = "guessed_tokens"
    case acceptedTokens = "accepted_tokens"
    case droppedTurns = "dropped_turns"
  }

  init(_ usage: GenerationResult.Usage) {
    promptTokens = usage.promptTokens
    cachedTokens = usage.cachedTokens
    completionTokens = usage.completionTokens
    guessedTokens = usage.guessedTokens
    acceptedTokens = usage.acceptedTokens
    droppedTurns = usage.droppedTurns
  }
}

struct TimingsReport: Encodable {
  let timeToFirstToken: Double
  let prefill: Double
  let decode: Double

  enum CodingKeys: String, CodingKey {
    case timeToFirstToken = "ttft_ms"
    case prefill = "prefill_tps"
    case decode = "decode_tps"
  }

  init(_ timings: GenerationResult.Timings) {
    timeToFirstToken = Self.tenths(timings.timeToFirstToken / .milliseconds(1))
    prefill = Self.tenths(timings.prefillTokensPerSecond)
    decode = Self.tenths(timings.decodeTokensPerSecond)
  }

  static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
