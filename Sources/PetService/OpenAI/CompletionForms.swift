// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What is answered to requests for completions, whole or in chunks.
struct CompletionForm: Encodable {
  struct Message: Encodable {
    var role: String?
    var content: String?
    var toolCalls: [ToolCallForm]?

    enum CodingKeys: String, CodingKey {
      case role, content
      case toolCalls = "tool_calls"
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encodeIfPresent(role, forKey: .role)
      // Null where there is only a call.
      if content != nil || toolCalls != nil { try values.encode(content, forKey: .content) }
      try values.encodeIfPresent(toolCalls, forKey: .toolCalls)
    }
  }

  /// How a pet looks, and what it does, where a model of this project said so beside its words.
  struct Look: Encodable {
    let emotion: String?
    let actions: [String]

    /// Nil where it said nothing.
    init?(_ reply: MindedReply) {
      guard reply.emotion != nil || !reply.actions.isEmpty else { return nil }
      emotion = reply.emotion?.rawValue
      actions = reply.actions.map(\.rawValue)
    }
  }

  /// What a client should know beside the reply; only what there is.
  struct Notes: Encodable {
    /// What the request told of: the words are written, and no model's.
    var danger: String?
    /// As of ``TurnReport/safety``.
    var safety: SafetyEvent?
    /// Turns of the conversation that were left out to make room.
    var droppedTurns = 0
    /// What was read in part, or left out of a reply.
    struct Shortened: Sendable {
      let text: String
      /// Of the conversation, from 0; nil: it is part of what is answered now.
      let turn: Int?

      init(_ text: String, turn: Int? = nil) { (self.text, self.turn) = (text, turn) }
    }

    /// Messages of which a part was left out, and replies.
    var shortened: [Shortened] = []
    /// Messages that stand elsewhere for the model.
    var moved: [String] = []
    /// Fields that did nothing.
    var ignored: [String] = []

    var isEmpty: Bool {
      safety == nil && droppedTurns == 0 && shortened.isEmpty && moved.isEmpty && ignored.isEmpty
    }

    enum CodingKeys: String, CodingKey {
      case source, danger, safety, shortened, moved, ignored
      case droppedTurns = "dropped_turns"
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      if safety != nil { try values.encode("care", forKey: .source) }
      try values.encodeIfPresent(danger, forKey: .danger)
      try values.encodeIfPresent(safety, forKey: .safety)
      if droppedTurns > 0 { try values.encode(droppedTurns, forKey: .droppedTurns) }
      for (key, texts) in [(CodingKeys.shortened, shortened.map(\.text)), (.moved, moved), (.ignored, ignored)]
      where !texts.isEmpty {
        try values.encode(texts, forKey: key)
      }
    }
  }

  struct Choice: Encodable {
    var index = 0
    /// Of a whole chat reply.
    var message: Message?
    /// Of a chunk of one.
    var delta: Message?
    /// Of a completion of a text.
    var text: String?
    /// Code points that stand before the reply's text.
    var offset = 0
    var probabilities: ProbabilityForm?
    var finishReason: String?
    var look: Look?

    enum CodingKeys: String, CodingKey {
      case index, message, delta, text, logprobs
      case look = "pet"
      case finishReason = "finish_reason"
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(index, forKey: .index)
      try values.encodeIfPresent(message, forKey: .message)
      try values.encodeIfPresent(delta, forKey: .delta)
      try values.encodeIfPresent(text, forKey: .text)
      // Known to be nothing, which is not the same as missing.
      if text != nil {
        try values.encode(probabilities.map { TextProbabilityForm($0, from: offset) }, forKey: .logprobs)
      } else {
        try values.encode(probabilities, forKey: .logprobs)
      }
      try values.encode(finishReason, forKey: .finishReason)
      try values.encodeIfPresent(look, forKey: .look)
    }
  }

  struct Usage: Encodable {
    struct Details: Encodable {
      let cached: Int

      enum CodingKeys: String, CodingKey { case cached = "cached_tokens" }
    }

    let prompt: Int
    let completion: Int
    let total: Int
    let details: Details

    enum CodingKeys: String, CodingKey {
      case prompt = "prompt_tokens"
      case completion = "completion_tokens"
      case total = "total_tokens"
      case details = "prompt_tokens_details"
    }

    /// Of several replies to one prompt, which counts once.
    init(_ usages: [GenerationResult.Usage]) {
      prompt = usages.first?.promptTokens ?? 0
      completion = usages.reduce(0) { $0 + $1.completionTokens }
      total = prompt + completion
      details = Details(cached: usages.first?.cachedTokens ?? 0)
    }
  }

  let id: String
  let object: String
  let created: Int64
  /// What wrote it, which may be a smaller one than was asked for.
  let model: String
  /// The model and its tier, as in "pet-135m/high".
  let fingerprint: String
  var choices: [Choice]
  var usage: Usage?
  /// Null where it is not known yet, rather than left out.
  var tellsUsage = false
  var notes = Notes()

  enum CodingKeys: String, CodingKey {
    case id, object, created, model, choices, usage
    case fingerprint = "system_fingerprint"
    case notes = "pet"
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(object, forKey: .object)
    try values.encode(created, forKey: .created)
    try values.encode(model, forKey: .model)
    try values.encode(fingerprint, forKey: .fingerprint)
    try values.encode(choices, forKey: .choices)
    if usage != nil || tellsUsage { try values.encode(usage, forKey: .usage) }
    if !notes.isEmpty { try values.encode(notes, forKey: .notes) }
  }
}

extension ModelIdentity {
  /// In the words of OpenAI's API: what tells answers of different makes apart.
  var fingerprint: String { tier.map { "\(name)/\($0)" } ?? name }
}

extension GenerationResult.FinishReason {
  /// In the words of OpenAI's API.
  var openAI: String {
    switch self {
    case .stop, .flag, .loop: "stop"
    case .length, .context, .deadline, .cancelled: "length"
    }
  }
}
