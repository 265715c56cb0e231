// SPDX-License-Identifier: Apache-2.0
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

/// Null: nothing was measured, as where no model wrote.
package struct TimingsReport: Codable, Sendable, Equatable {
  @OrNull package var timeToFirstToken: Double?
  @OrNull package var prefill: Double?
  @OrNull package var decode: Double?

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

  package static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
