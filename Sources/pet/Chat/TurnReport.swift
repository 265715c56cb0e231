import PetEngine

/// One turn as `pet chat --json` prints it.
struct TurnReport: Encodable {
  let text: String
  /// Null where the model named none.
  let emotion: String?
  let actions: [String]
  /// Whether the model wrote emotion and actions in the form it was trained for.
  let isWellFormed: Bool
  /// Who found the words: "model", or "rule" where the message told of danger.
  let source: String
  /// Whether the answer came from the prediction cache instead of the model.
  let cached: Bool
  let finishReason: String
  let usage: UsageReport
  let timings: TimingsReport

  enum CodingKeys: String, CodingKey {
    case text, emotion, actions, source, cached, usage, timings
    case finishReason = "finish_reason"
    case isWellFormed = "well_formed"
  }

  init(_ answer: CompanionAnswer) {
    let (reply, result) = (answer.reply, answer.generation)
    text = reply.text
    emotion = reply.emotion?.rawValue
    actions = reply.actions.map(\.rawValue)
    isWellFormed = reply.isWellFormed
    source = answer.source.rawValue
    cached = false
    finishReason = result.finishReason.rawValue
    usage = UsageReport(result.usage)
    timings = TimingsReport(result.timings)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
    // Null rather than missing: programs can rely on the keys.
    try container.encode(emotion, forKey: .emotion)
    try container.encode(actions, forKey: .actions)
    try container.encode(isWellFormed, forKey: .isWellFormed)
    try container.encode(source, forKey: .source)
    try container.encode(cached, forKey: .cached)
    try container.encode(finishReason, forKey: .finishReason)
    try container.encode(usage, forKey: .usage)
    try container.encode(timings, forKey: .timings)
  }
}
