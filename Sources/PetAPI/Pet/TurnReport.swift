// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// One turn as `pet chat --json` prints it, and as petd answers.
package struct TurnReport: Codable, Sendable, Equatable {
  package let text: String
  /// Null where the model named none.
  package let emotion: String?
  package let actions: [String]
  /// Whether the model wrote emotion and actions in the form it was trained for.
  package let isWellFormed: Bool
  /// Who found the words: "model", "bank", "cache" or "rule".
  package let source: String
  /// By which rung: "care", "frequent", "sympathy" and so on.
  package let rung: String
  /// What the message told of, where the words are written for that: "self_harm", "violence" or "emergency"; else null.
  package let danger: String?
  /// That the words are written for danger, its kind, and where in it the conversation stands; null: they are not.
  package let safety: SafetyEvent?
  /// Whether the answer was ready before it was asked for.
  package let cached: Bool
  package let finishReason: String
  /// What a person should be told beside the reply.
  package var notices: [TurnNotice]
  /// What the model had before it, in tokens by part; null where none was asked.
  package let context: ContextReport?
  /// What the prompt said of the person, as the model reads it.
  package let memories: [String]
  package let usage: UsageReport
  package let timings: TimingsReport
  /// What wrote the words, and its tier; null where they were written by hand, or kept from before.
  package let model: String?
  package let tier: String?
  /// That a smaller model answers than the one that was meant; null: it does not.
  package let degraded: DegradedForm?

  enum CodingKeys: String, CodingKey {
    case text, emotion, actions, source, rung, danger, safety, cached, notices, context, memories, usage, timings,
      model, tier,
      degraded
    case finishReason = "finish_reason"
    case isWellFormed = "well_formed"
  }

  /// What was said, as the pet said it.
  package var reply: Reply {
    Reply(
      text: text, emotion: emotion.flatMap(Emotion.init(rawValue:)),
      actions: actions.compactMap(PetAction.init(rawValue:)),
      isWellFormed: isWellFormed)
  }

  /// A reply that its reader stopped; what it cost is not known.
  package init(cut text: String) {
    self.init(
      CompanionAnswer(
        reply: Reply(text: text), rung: .model,
        generation: GenerationResult(text: text, tokens: [], finishReason: .cancelled)))
  }

  package init(_ answer: CompanionAnswer, degraded: DegradedForm? = nil) {
    (model, tier) = (answer.model?.name, answer.model?.tier)
    self.degraded = degraded
    let (reply, result) = (answer.reply, answer.generation)
    text = reply.text
    emotion = reply.emotion?.rawValue
    actions = reply.actions.map(\.rawValue)
    isWellFormed = reply.isWellFormed
    source = answer.source.rawValue
    rung = answer.rung.rawValue
    danger = answer.danger?.rawValue
    safety = answer.safety
    cached = answer.source == .cache
    notices = answer.notices.map(TurnNotice.init)
    context = answer.context
    memories = answer.memories
    finishReason = answer.finishReason.rawValue
    usage = UsageReport(result.usage)
    timings = TimingsReport(result.timings)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
    // Null rather than missing: programs can rely on the keys.
    try container.encode(emotion, forKey: .emotion)
    try container.encode(actions, forKey: .actions)
    try container.encode(isWellFormed, forKey: .isWellFormed)
    try container.encode(source, forKey: .source)
    try container.encode(rung, forKey: .rung)
    try container.encode(danger, forKey: .danger)
    try container.encode(safety, forKey: .safety)
    try container.encode(cached, forKey: .cached)
    try container.encode(finishReason, forKey: .finishReason)
    try container.encode(notices, forKey: .notices)
    try container.encode(context, forKey: .context)
    try container.encode(memories, forKey: .memories)
    try container.encode(usage, forKey: .usage)
    try container.encode(timings, forKey: .timings)
    try container.encode(model, forKey: .model)
    try container.encode(tier, forKey: .tier)
    try container.encode(degraded, forKey: .degraded)
  }
}
