import PetEngine

/// The body of `POST /v1/chat/completions`: https://platform.openai.com/docs/api-reference/chat/create
struct ChatRequest: Decodable, Sendable {
  struct Message: Decodable, Sendable {
    enum Role: String, Decodable, Sendable {
      case system, developer, user, assistant, tool
    }

    let role: Role
    let content: Content?
  }

  /// A text, or parts of one; nothing where an assistant only called tools.
  struct Content: Decodable, Sendable {
    let text: String

    private struct Part: Decodable {
      let type: String
      let text: String?
    }

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self.text = text
        return
      }
      let parts = try value.decode([Part].self)
      guard parts.allSatisfy({ $0.type == "text" && $0.text != nil }) else {
        throw ServiceError.invalid("messages", "only parts of text are understood")
      }
      text = parts.compactMap(\.text).joined()
    }
  }

  /// Wrapped so that what is asked for stays JSON until the grammar reads it.
  struct ResponseFormat: Decodable, Sendable {
    struct Schema: Decodable, Sendable { let schema: JSONValue? }

    let type: String
    let schema: Schema?

    enum CodingKeys: String, CodingKey {
      case type
      case schema = "json_schema"
    }
  }

  let model: String?
  let messages: [Message]
  let format: ResponseFormat?
  let sampling: SamplingFields

  enum CodingKeys: String, CodingKey {
    case model, messages, tools
    case format = "response_format"
    case logprobs
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    model = try values.decodeIfPresent(String.self, forKey: .model)
    messages = try values.decode([Message].self, forKey: .messages)
    format = try values.decodeIfPresent(ResponseFormat.self, forKey: .format)
    sampling = try SamplingFields(from: decoder)
    guard try values.decodeIfPresent(Bool.self, forKey: .logprobs) != true else {
      throw ServiceError.invalid("logprobs", "log probabilities are not told")
    }
    guard try values.decodeIfPresent([JSONValue].self, forKey: .tools)?.isEmpty ?? true else {
      throw ServiceError.invalid("tools", "tools cannot be called here yet")
    }
  }

  /// The conversation as sessions hold it: instructions, whole turns, and the message that is to be answered.
  struct Conversation: Sendable, Equatable {
    var instructions: String?
    var turns: [LanguageModelSession.Turn] = []
    var message = ""
  }

  /// - Throws: ``ServiceError`` where nobody asks, or somebody speaks out of turn.
  func conversation() throws(ServiceError) -> Conversation {
    var conversation = Conversation()
    // Several of one role in a row are one.
    var open: String?
    var answered: String?
    func close() {
      if let open, let answered { conversation.turns.append(.init(user: open, reply: answered)) }
    }
    for message in messages {
      let text = message.content?.text ?? ""
      switch message.role {
      case .system, .developer:
        conversation.instructions = [conversation.instructions, text].compactMap(\.self).joined(separator: "\n\n")
      case .user:
        if answered != nil {
          close()
          (open, answered) = (text, nil)
        } else {
          open = [open, text].compactMap(\.self).joined(separator: "\n\n")
        }
      case .assistant:
        // A greeting that came first answers nothing that was said.
        if open == nil { open = "" }
        answered = [answered, text].compactMap(\.self).joined(separator: "\n\n")
      case .tool: throw .invalid("messages", "results of tools are not understood here yet")
      }
    }
    guard let open, answered == nil else { throw .invalid("messages", "the last message must be the user's") }
    conversation.message = open
    return conversation
  }

  /// What holds the reply to its form; nil: it is free.
  /// - Throws: ``ServiceError``, `GrammarError`.
  func grammar(for model: LanguageModel) throws -> OutputGrammar? {
    switch format?.type {
    case nil, "text": return nil
    case "json_object": return try model.outputGrammar(jsonSchema: #"{"type": "object"}"#)
    case "json_schema":
      guard let schema = format?.schema?.schema else {
        throw ServiceError.invalid("response_format.json_schema.schema", "a schema is needed")
      }
      return try model.outputGrammar(jsonSchema: JSON.text(schema))
    default: throw ServiceError.invalid("response_format.type", "text, json_object or json_schema")
    }
  }
}
