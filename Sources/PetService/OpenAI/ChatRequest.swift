import PetEngine

/// The body of `POST /v1/chat/completions`: https://platform.openai.com/docs/api-reference/chat/create
package struct ChatRequest: Decodable, Sendable {
  struct Message: Decodable, Sendable {
    enum Role: String, Decodable, Sendable {
      case system, developer, user, assistant, tool
    }

    let role: Role
    let content: Content?
    let toolCalls: [ToolCallForm]?
    let toolCallID: String?

    /// Bytes of what is said and called.
    var length: Int {
      (toolCalls ?? []).reduce(content?.text.utf8.count ?? 0) {
        $0 + $1.function.name.utf8.count + $1.function.arguments.utf8.count
      }
    }

    enum CodingKeys: String, CodingKey {
      case role, content
      case toolCalls = "tool_calls"
      case toolCallID = "tool_call_id"
    }
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
      guard let parts = try? value.decode([Part].self) else {
        throw ServiceError.invalid("messages", "content must be a text, or a list of parts of one")
      }
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
  package let tools: ToolFields
  let sampling: SamplingFields
  /// How many of the likeliest tokens are told with each; nil: no probabilities.
  let likeliestTold: Int?

  enum CodingKeys: String, CodingKey {
    case model, messages
    case format = "response_format"
    case logprobs
    case topLogprobs = "top_logprobs"
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    model = try values.decodeIfPresent(String.self, forKey: .model)
    // Counted before they are read; what is no list is told of below.
    let list = try? values.nestedUnkeyedContainer(forKey: .messages)
    guard list?.count ?? 0 <= Self.mostMessages else { throw Self.tooLong }
    messages = try values.decode([Message].self, forKey: .messages)
    format = try values.decodeIfPresent(ResponseFormat.self, forKey: .format)
    sampling = try SamplingFields(from: decoder)
    tools = try ToolFields(from: decoder)
    let isTold = try values.decodeIfPresent(Bool.self, forKey: .logprobs) ?? false
    let count: Int? = try values.integer(.topLogprobs, 0...20)
    guard count == nil || isTold else { throw ServiceError.invalid("top_logprobs", "top_logprobs needs logprobs") }
    likeliestTold = isTold ? count ?? 0 : nil
  }

  /// The conversation as sessions hold it: instructions, whole turns, and the message that is to be answered.
  package struct Conversation: Sendable, Equatable {
    var instructions: String?
    var turns: [LanguageModelSession.Turn] = []
    var message = ""
  }

  /// Of all messages together, in bytes: far above what any context here holds.
  private static let longest = 1 << 20

  /// Each takes some tokens, whatever it says.
  private static let mostMessages = 1 << 13

  private static let tooLong = ServiceError(
    .badRequest, "the messages are longer than any context here", parameter: "messages",
    code: "context_length_exceeded")

  /// - Throws: ``ServiceError`` where nobody asks, or somebody speaks out of turn.
  package func conversation() throws(ServiceError) -> Conversation {
    guard messages.reduce(0, { $0 + $1.length }) <= Self.longest else { throw Self.tooLong }
    var conversation = Conversation()
    // Several of one role in a row are one.
    var open: String?
    var answered: String?
    var called: [String: String] = [:]
    func close() {
      if let open, let answered { conversation.turns.append(.init(user: open, reply: answered)) }
    }
    func ask(_ text: String) {
      if answered != nil {
        close()
        (open, answered) = (text, nil)
      } else {
        open.append(paragraph: text)
      }
    }
    for message in messages {
      let text = message.content?.text ?? ""
      switch message.role {
      case .system, .developer: conversation.instructions.append(paragraph: text)
      case .user: ask(text)
      case .assistant:
        // A greeting that came first answers nothing that was said.
        if open == nil { open = "" }
        let calls = message.toolCalls ?? []
        for call in calls { called[call.id] = call.function.name }
        for part in (text.isEmpty && !calls.isEmpty ? [] : [text]) + calls.map(\.text) {
          answered.append(paragraph: part)
        }
      case .tool:
        guard let name = message.toolCallID.flatMap({ called[$0] }) else {
          throw .invalid("messages", "a result of a tool must name the call that it answers")
        }
        ask(ToolPolicy().message(text, of: name))
      }
    }
    guard let open, answered == nil else { throw .invalid("messages", "the last message must be the user's") }
    conversation.message = open
    return conversation
  }

  /// What holds the reply to its form; nil: it is free.
  /// - Throws: ``ServiceError``, `GrammarError`.
  func grammar(for model: LanguageModel, _ registry: ToolRegistry?) throws -> OutputGrammar? {
    guard format?.type ?? "text" == "text" || registry == nil else {
      throw ServiceError.invalid("response_format", "a reply is held to a form or may call tools, not both")
    }
    switch format?.type {
    case nil, "text": return try registry.map { try tools.grammar($0, for: model) }
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

extension Optional<String> {
  /// In place: to join the whole for every message anew would be quadratic.
  fileprivate mutating func append(paragraph text: String) {
    if self == nil { self = text } else { self?.append("\n\n" + text) }
  }
}
