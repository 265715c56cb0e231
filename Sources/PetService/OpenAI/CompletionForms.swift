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

  struct Choice: Encodable {
    var index = 0
    /// Of a whole chat reply.
    var message: Message?
    /// Of a chunk of one.
    var delta: Message?
    /// Of a completion of a text.
    var text: String?
    var probabilities: ProbabilityForm?
    var finishReason: String?

    enum CodingKeys: String, CodingKey {
      case index, message, delta, text, logprobs
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
        try values.encode(probabilities.map(TextProbabilityForm.init), forKey: .logprobs)
      } else {
        try values.encode(probabilities, forKey: .logprobs)
      }
      try values.encode(finishReason, forKey: .finishReason)
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

    init(_ usage: GenerationResult.Usage) {
      prompt = usage.promptTokens
      completion = usage.completionTokens
      total = usage.promptTokens + usage.completionTokens
      details = Details(cached: usage.cachedTokens)
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

  enum CodingKeys: String, CodingKey {
    case id, object, created, model, choices, usage
    case fingerprint = "system_fingerprint"
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
