import PetEngine

/// What `pet complete --json` prints, and `POST /pet/completions` answers.
package struct CompletionReport: Codable, Sendable, Equatable {
  package let text: String
  package let ids: [Int32]
  package let finishReason: String
  package let usage: UsageReport
  package let timings: TimingsReport

  enum CodingKeys: String, CodingKey {
    case text, ids, usage, timings
    case finishReason = "finish_reason"
  }

  package init(_ result: GenerationResult) {
    text = result.text
    ids = result.tokens
    finishReason = result.finishReason.rawValue
    usage = UsageReport(result.usage)
    timings = TimingsReport(result.timings)
  }
}
