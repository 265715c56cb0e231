import PetEngine

/// What `pet complete --json` prints, and `POST /pet/completions` answers.
package struct CompletionReport: Codable, Sendable, Equatable {
  package let text: String
  package let ids: [Int32]
  package let finishReason: String
  package let usage: UsageReport
  package let timings: TimingsReport
  /// What wrote it.
  package let model: String
  package let tier: String?

  enum CodingKeys: String, CodingKey {
    case text, ids, usage, timings, model, tier
    case finishReason = "finish_reason"
  }

  package init(_ result: GenerationResult, by model: ModelIdentity) {
    (self.model, tier) = (model.name, model.tier)
    text = result.text
    ids = result.tokens
    finishReason = result.finishReason.rawValue
    usage = UsageReport(result.usage)
    timings = TimingsReport(result.timings)
  }
}
