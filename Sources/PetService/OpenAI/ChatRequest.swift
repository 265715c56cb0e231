// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine
import PetJSON

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
      case role, content, audio, refusal
      case toolCalls = "tool_calls"
      case toolCallID = "tool_call_id"
      case functionCall = "function_call"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      role = try values.decode(Role.self, forKey: .role)
      // What an assistant refused is what it said.
      let refusal = try values.decodeIfPresent(String.self, forKey: .refusal)
      content = try values.decodeIfPresent(Content.self, forKey: .content) ?? refusal.map { Content($0) }
      toolCalls = try values.decodeIfPresent([ToolCallForm].self, forKey: .toolCalls)
      // Of another's message it says nothing, and is told as not read.
      toolCallID = role == .tool ? try values.decodeIfPresent(String.self, forKey: .toolCallID) : nil
      try values.refuse(.functionCall, "give tool_calls")
      try values.refuse(.audio, "only text is understood")
    }
  }

  /// A text, or parts of one; nothing where an assistant only called tools.
  struct Content: Decodable, Sendable {
    let text: String

    private struct Part: Decodable {
      let text: String

      enum CodingKeys: CodingKey { case type, text, refusal }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let type = try values.decode(String.self, forKey: .type)
        if type == "refusal" {
          text = try values.decode(String.self, forKey: .refusal)
          return
        }
        guard type == "text" else {
          let place = JSON.place(decoder.codingPath) ?? "content"
          throw ServiceError.invalid("\(place).type", "\(place): only parts of text are understood")
        }
        text = try values.decode(String.self, forKey: .text)
      }
    }

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self.text = text
        return
      }
      guard (try? decoder.unkeyedContainer()) != nil else {
        let place = JSON.place(decoder.codingPath) ?? "content"
        throw ServiceError.invalid(place, "\(place) must be a text, or a list of parts of one")
      }
      // A part is a paragraph of its own: joined without a gap, two sentences would become another.
      text = try value.decode([Part].self).map(\.text).joined(separator: "\n")
    }
  }

  /// Wrapped so that what is asked for stays JSON until the grammar reads it.
  struct ResponseFormat: Decodable, Sendable {
    struct Schema: Decodable, Sendable {
      let schema: JSONValue?
      /// Keywords of the schema that the reply is not held to: a strict one has none.
      let unenforced: [String]

      enum CodingKeys: CodingKey { case schema, name, strict }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // A name is for the client.
        _ = try values.decodeIfPresent(String.self, forKey: .name)
        let isStrict = try values.decodeIfPresent(Bool.self, forKey: .strict) ?? false
        let asked = try values.decodeIfPresent(JSONValue.self, forKey: .schema)
        (schema, unenforced) =
          asked.map { $0.enforceable(isStrict: isStrict, within: CompilationBudget()) } ?? (nil, [])
      }
    }

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
    case logprobs, functions, modalities, audio
    case topLogprobs = "top_logprobs"
    case functionCall = "function_call"
    case webSearch = "web_search_options"
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    model = try values.decodeIfPresent(String.self, forKey: .model)
    // Counted before they are read; what is no list is told of below.
    let list = try? values.nestedUnkeyedContainer(forKey: .messages)
    if let count = list?.count, count > Self.mostMessages {
      throw ServiceError(
        .badRequest, "a request may have at most \(Self.mostMessages) messages; this one has \(count)",
        parameter: "messages", code: "context_length_exceeded")
    }
    messages = try values.decode([Message].self, forKey: .messages)
    format = try values.decodeIfPresent(ResponseFormat.self, forKey: .format)
    sampling = try SamplingFields(from: decoder)
    tools = try ToolFields(from: decoder)
    let isTold = try values.decodeIfPresent(Bool.self, forKey: .logprobs) ?? false
    let count: Int? = try values.integer(.topLogprobs, 0...20)
    guard count == nil || isTold else { throw ServiceError.invalid("top_logprobs", "top_logprobs needs logprobs") }
    likeliestTold = isTold ? count ?? 0 : nil
    try values.refuse(.functions, "give tools")
    try values.refuse(.functionCall, "give tool_choice")
    try values.refuse(.audio, "only text is written")
    try values.refuse(.webSearch, "nothing is looked up; give what is to be read as a message or a tool")
    guard try values.decodeIfPresent([String].self, forKey: .modalities).map({ $0 == ["text"] }) ?? true else {
      throw ServiceError.invalid("modalities", "only text is written")
    }
  }

  /// The conversation as sessions hold it: instructions, whole turns, and the message that is to be answered.
  package struct Conversation: Sendable {
    package var instructions: String?
    package var turns: [LanguageModelSession.Turn] = []
    package var message = ""
    /// What people said, each line with what was answered: without results of tools, which are not theirs.
    var said: [LanguageModelSession.Turn] = []
    /// Messages of which a part was left out, how much was read, and the number of their turn.
    var shortened: [CompletionForm.Notes.Shortened] = []
    /// Messages that stand elsewhere for the model than in the request.
    var moved: [String] = []
  }

  /// Of all messages together, in bytes: far above what any context here holds.
  private static let longest = 1 << 20

  /// Each takes some tokens, whatever it says.
  private static let mostMessages = 1 << 13

  private static let tooLong = ServiceError(
    .badRequest, "all messages together may have at most \(longest) bytes", parameter: "messages",
    code: "context_length_exceeded")

  /// - Throws: ``ServiceError`` where nobody asks, somebody speaks out of turn, or all is too long and tells of no danger.
  package func conversation(minding net: SafetyNet = SafetyNet()) throws(ServiceError) -> Conversation {
    guard !messages.isEmpty else { throw .invalid("messages", "messages must hold at least one message") }
    if messages.reduce(0, { $0 + $1.length }) > Self.longest {
      // Who tells of danger is answered first, by words that need no context.
      let said = messages.last { $0.role == .user }?.content?.text
      guard let said, net.hearing(of: said).isAnswered else { throw Self.tooLong }
    }
    try requireContents()
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
    // What a person said that was not answered is one line with what follows.
    var line: String?
    var reply: String?
    func endLine() {
      if let line { conversation.said.append(.init(user: line, reply: reply ?? "")) }
      (line, reply) = (nil, nil)
    }
    for (index, message) in inOrderOfCalls() {
      let text = message.content?.text ?? ""
      switch message.role {
      case .system, .developer:
        conversation.instructions.append(paragraph: text)
        if open != nil { conversation.moved.append("messages[\(index)]: told at the start") }
      case .user:
        ask(text)
        if reply != nil { endLine() }
        line.append(paragraph: text)
      case .assistant:
        reply = text
        // A greeting that came first answers nothing that was said.
        if open == nil { open = "" }
        let calls = message.toolCalls ?? []
        for call in calls { called[call.id] = call.function.name }
        for part in (text.isEmpty && !calls.isEmpty ? [] : [text]) + calls.map(\.text) {
          answered.append(paragraph: part)
        }
      case .tool:
        let field = "messages[\(index)].tool_call_id"
        guard let id = message.toolCallID else {
          throw ServiceError(
            .badRequest, "\(field) is missing: a tool's message names the call that it answers", parameter: field,
            code: "missing_field")
        }
        guard let name = called[id] else {
          throw .invalid(field, "\(field) names no call in the tool_calls of an assistant's message before it")
        }
        let policy = ToolPolicy()
        ask(policy.message(text, of: name))
        if text.utf8.count > policy.maximumResultBytes {
          conversation.shortened.append(
            .init(
              "messages[\(index)]: the first \(policy.maximumResultBytes) of \(text.utf8.count) bytes were read",
              turn: conversation.turns.count))
        }
      }
    }
    try requireToolResults()
    endLine()
    guard let open, answered == nil else {
      throw .invalid("messages", "the last message must be the user's, or the result of a tool")
    }
    conversation.message = open
    return conversation
  }

  /// The messages with their places in the request; results of several calls in the order of the calls, by which alone a model tells
  /// them apart.
  private func inOrderOfCalls() -> [(Int, Message)] {
    var ordered: [(Int, Message)] = []
    var places: [String: Int] = [:]
    var results: [(Int, Message)] = []
    func settle() {
      ordered += results.sorted { a, b in
        let (first, second) = (places[a.1.toolCallID ?? ""] ?? .max, places[b.1.toolCallID ?? ""] ?? .max)
        return first != second ? first < second : a.0 < b.0
      }
      results = []
    }
    for (index, message) in messages.enumerated() {
      if message.role == .tool {
        results.append((index, message))
        continue
      }
      settle()
      ordered.append((index, message))
      places = [:]
      for (place, call) in (message.toolCalls ?? []).enumerated() where places[call.id] == nil {
        places[call.id] = place
      }
    }
    settle()
    return ordered
  }

  /// Only an assistant that calls tools may say nothing.
  private func requireContents() throws(ServiceError) {
    for (index, message) in messages.enumerated() where message.content == nil {
      if message.role == .assistant, message.toolCalls?.isEmpty == false { continue }
      let field = "messages[\(index)].content"
      throw ServiceError(.badRequest, "\(field) is missing", parameter: field, code: "missing_field")
    }
  }

  /// The results of an assistant's calls follow it, before anybody else speaks.
  private func requireToolResults() throws(ServiceError) {
    var open: [(id: String, field: String)] = []
    func close() throws(ServiceError) {
      guard let first = open.first else { return }
      throw .invalid(first.field, "\(first.field) has no result: a message of role tool must follow with its id")
    }
    for (index, message) in messages.enumerated() {
      if message.role == .tool {
        guard open.contains(where: { $0.id == message.toolCallID }) else {
          let field = "messages[\(index)].tool_call_id"
          throw .invalid(field, "\(field) names no call of the message before it that is still to be answered")
        }
        open.removeAll { $0.id == message.toolCallID }
        continue
      }
      try close()
      for (number, call) in (message.toolCalls ?? []).enumerated() {
        let field = "messages[\(index)].tool_calls[\(number)]"
        guard !open.contains(where: { $0.id == call.id }) else {
          throw .invalid("\(field).id", "\(field).id is that of another call of the message")
        }
        open.append((call.id, field))
      }
    }
    try close()
  }

  /// As of ``CompletionShape/setAside``.
  var setAside: [String] {
    var fields = sampling.setAside
    if let likeliestTold { fields += likeliestTold > 0 ? ["logprobs", "top_logprobs"] : ["logprobs"] }
    if format?.type ?? "text" != "text" { fields.append("response_format") }
    if !tools.declarations.isEmpty { fields.append("tools") }
    if tools.choice != .auto, tools.choice != .none { fields.append("tool_choice") }
    if tools.areParallel != nil { fields.append("parallel_tool_calls") }
    return fields
  }

  /// What schemas ask for that no reply is held to.
  var unenforced: [String] {
    var fields: [String] = []
    func tell(_ schema: JSONValue?, _ keywords: [String], _ field: String) {
      fields += keywords.map { "\(field) \($0.prefix(128))" }
      fields += schema.map(SchemaPlaces.unenforcedFormats)?.map { "\(field) format: \($0.prefix(64))" } ?? []
    }
    if format?.type == "json_schema" {
      tell(format?.schema?.schema, format?.schema?.unenforced ?? [], "response_format")
    }
    for (index, tool) in tools.declarations.enumerated() where tools.choice != .none {
      tell(tool.function.parameters, tool.function.unenforced, "tools[\(index)]")
    }
    return fields
  }

  /// What holds the reply to its form; nil: it is free.
  /// - Throws: ``ServiceError``, `GrammarError`.
  func grammar(for model: LanguageModel, _ registry: ToolRegistry?) throws -> OutputGrammar? {
    guard format?.type ?? "text" == "text" || registry == nil else {
      throw ServiceError.invalid("response_format", "a reply is held to a form or may call tools, not both")
    }
    switch format?.type {
    case nil, "text":
      return try registry.map { registry in
        do { return try tools.grammar(registry, for: model) } catch let error as GrammarError {
          throw tools.error(error)
        }
      }
    case "json_object": return try model.markFreeGrammar(jsonSchema: #"{"type": "object"}"#)
    case "json_schema":
      guard let schema = format?.schema?.schema else {
        throw ServiceError.invalid("response_format.json_schema.schema", "a schema is needed")
      }
      return try ServiceError.naming("response_format") { try model.markFreeGrammar(jsonSchema: schema.compactText) }
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
