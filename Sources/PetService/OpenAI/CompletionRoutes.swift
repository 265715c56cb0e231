import FoundationEssentials
import NIOHTTP1
import PetEngine
import Synchronization

/// `POST /v1/chat/completions` and `POST /v1/completions`.
struct CompletionRoutes: Sendable {
  let models: ServedModels

  private struct TextRequest: Decodable {
    let model: String?
    let prompt: String
    let sampling: SamplingFields

    enum CodingKeys: CodingKey { case model, prompt }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      model = try values.decodeIfPresent(String.self, forKey: .model)
      prompt = try values.decode(String.self, forKey: .prompt)
      sampling = try SamplingFields(from: decoder)
    }
  }

  func add(to router: inout Router) {
    router.on(.POST, "/v1/chat/completions") { request, _ in
      let chat = try JSON.decode(ChatRequest.self, request.body)
      let conversation = try chat.conversation()
      return try await respond(chat.model, chat.sampling, Shape(request, isChat: true)) { model, options, send in
        let session = try LanguageModelSession(model, instructions: conversation.instructions)
        for turn in conversation.turns { try await session.append(turn) }
        var options = options
        options.grammar = try chat.grammar(for: model)
        return try await session.respond(to: conversation.message, options, onText: send)
      }
    }
    router.on(.POST, "/v1/completions") { request, _ in
      let text = try JSON.decode(TextRequest.self, request.body)
      return try await respond(text.model, text.sampling, Shape(request, isChat: false)) { model, options, send in
        try await model.complete(text.prompt, options, onText: send)
      }
    }
  }

  /// How one kind of completion looks.
  private struct Shape: Sendable {
    let id: String
    let isChat: Bool
    let created = Int64(Date().timeIntervalSince1970)

    init(_ request: ServiceRequest, isChat: Bool) {
      id = (isChat ? "chatcmpl-" : "cmpl-") + request.id
      self.isChat = isChat
    }

    func whole(_ result: GenerationResult, _ model: String) -> CompletionForm {
      var choice = CompletionForm.Choice(finishReason: result.finishReason.openAI)
      if isChat {
        choice.message = .init(role: "assistant", content: result.text)
      } else {
        choice.text = result.text
      }
      return CompletionForm(
        id: id, object: isChat ? "chat.completion" : "text_completion", created: created, model: model,
        choices: [choice],
        usage: .init(result.usage))
    }

    func chunk(
      _ model: String, text: String? = nil, role: String? = nil, finishReason: String? = nil
    ) -> CompletionForm {
      var choice = CompletionForm.Choice(finishReason: finishReason)
      if isChat {
        choice.delta = .init(role: role, content: text)
      } else {
        choice.text = text ?? ""
      }
      return empty(model, choices: [choice])
    }

    func empty(_ model: String, choices: [CompletionForm.Choice] = []) -> CompletionForm {
      CompletionForm(
        id: id, object: isChat ? "chat.completion.chunk" : "text_completion", created: created, model: model,
        choices: choices)
    }
  }

  private typealias Generate =
    @Sendable (LanguageModel, GenerationOptions, @escaping @Sendable (String) -> Void) async throws -> GenerationResult

  private func respond(
    _ name: String?, _ fields: SamplingFields, _ shape: Shape, _ generate: @escaping Generate
  ) async throws -> ServiceResponse {
    let lazy = try models.find(name)
    guard fields.isStreaming == true else {
      let result = try await lazy.use { try await generate($0, try fields.options(for: $0)) { _ in } }
      return JSON.response(shape.whole(result, models.name))
    }
    // What is wrong with a request is told by its status, before anything is streamed.
    _ = try await lazy.use { try fields.options(for: $0) }
    return .events { writer in
      @Sendable func send(_ form: CompletionForm) async throws {
        try await writer.write("data: \(JSON.text(form))\n\n")
      }
      if shape.isChat { try await send(shape.chunk(models.name, text: "", role: "assistant")) }
      let (pieces, continuation) = AsyncStream.makeStream(of: String.self)
      do {
        async let written = {
          // Also where there is no model.
          defer { continuation.finish() }
          return try await lazy.use { model in
            try await generate(model, try fields.options(for: model)) { continuation.yield($0) }
          }
        }()
        for await piece in pieces { try await send(shape.chunk(models.name, text: piece)) }
        let result = try await written
        try await send(shape.chunk(models.name, finishReason: result.finishReason.openAI))
        if fields.streamOptions?.includesUsage == true {
          var last = shape.empty(models.name)
          last.usage = .init(result.usage)
          try await send(last)
        }
        try await writer.write("data: [DONE]\n\n")
      } catch let error as ServiceError {
        try await writer.write("data: \(error.json)\n\n")
      } catch  where !(error is DeadlineError) && !(error is CancellationError) {
        try await writer.write("data: \(ServiceError(engine: error).json)\n\n")
      }
    }
  }
}
