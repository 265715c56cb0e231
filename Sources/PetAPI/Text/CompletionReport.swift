// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What `pet complete --json` prints, and `POST /pet/completions` answers.
package struct CompletionReport: Codable, Sendable, Equatable {
  /// What was said.
  package let text: String
  /// As a model of this project tells it beside its words; null where none did.
  package let emotion: String?
  package let actions: [String]
  /// "model", or "care": words that are written for who tells of danger.
  package let source: String
  /// What the text told of; null for none.
  package let danger: String?
  /// As of ``TurnReport/safety``.
  package let safety: SafetyEvent?
  package let ids: [Int32]
  package let finishReason: String
  package let usage: UsageReport
  package let timings: TimingsReport
  /// What wrote it.
  package let model: String
  package let tier: String?

  enum CodingKeys: String, CodingKey {
    case text, emotion, actions, source, danger, safety, ids, usage, timings, model, tier
    case finishReason = "finish_reason"
  }

  package init(_ reply: MindedReply, by model: ModelIdentity) {
    let result = reply.generation
    (self.model, tier) = (model.name, model.tier)
    text = result.text
    emotion = reply.emotion?.rawValue
    actions = reply.actions.map(\.rawValue)
    source = reply.safety == nil ? "model" : "care"
    danger = reply.danger?.rawValue
    safety = reply.safety
    ids = result.tokens
    finishReason = result.finishReason.rawValue
    usage = UsageReport(result.usage)
    timings = TimingsReport(result.timings)
  }

  /// What was read of an answer that was then stopped.
  package init(cut text: String, by model: ModelIdentity) {
    let result = GenerationResult(text: text, tokens: [], finishReason: .cancelled)
    (self.model, tier) = (model.name, model.tier)
    self.text = text
    (emotion, actions, source, danger, safety, ids) = (nil, [], "model", nil, nil, [])
    finishReason = result.finishReason.rawValue
    usage = UsageReport(result.usage)
    timings = TimingsReport(result.timings)
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(text, forKey: .text)
    // Null rather than missing: programs can rely on the keys.
    try values.encode(emotion, forKey: .emotion)
    try values.encode(actions, forKey: .actions)
    try values.encode(source, forKey: .source)
    try values.encode(danger, forKey: .danger)
    try values.encode(safety, forKey: .safety)
    try values.encode(ids, forKey: .ids)
    try values.encode(finishReason, forKey: .finishReason)
    try values.encode(usage, forKey: .usage)
    try values.encode(timings, forKey: .timings)
    try values.encode(model, forKey: .model)
    try values.encode(tier, forKey: .tier)
  }
}
