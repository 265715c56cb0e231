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
    let likeliestTold: Int?

    enum CodingKeys: CodingKey { case model, prompt, logprobs }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      model = try values.decodeIfPresent(String.self, forKey: .model)
      prompt = try values.decode(String.self, forKey: .prompt)
      sampling = try SamplingFields(from: decoder)
      likeliestTold = try values.integer(.logprobs, 0...5)
    }
  }

  func add(to router: inout Router) {
    router.on(.POST, "/v1/chat/completions") { request, _ in
      let chat = try JSON.decode(ChatRequest.self, request.body)
      let conversation = try chat.conversation()
      let registry = try chat.tools.registry()
      let shape = CompletionShape(request, isChat: true, tools: registry?.names ?? [])
      return try await respond(chat.model, chat.sampling, shape) { model, options, send in
        let instructions = [conversation.instructions, registry?.instructions].compactMap(\.self)
        let session = try LanguageModelSession(
          model, instructions: instructions.isEmpty ? nil : instructions.joined(separator: "\n\n"))
        for turn in conversation.turns {
          try Task.checkCancellation()
          try await session.append(turn)
        }
        var options = options
        options.grammar = try chat.grammar(for: model, registry)
        options.likeliestTold = chat.likeliestTold
        return try await session.respond(to: conversation.message, options, onText: send)
      }
    }
    router.on(.POST, "/v1/completions") { request, _ in
      let text = try JSON.decode(TextRequest.self, request.body)
      let shape = CompletionShape(request, isChat: false)
      return try await respond(text.model, text.sampling, shape) { model, options, send in
        var options = options
        options.likeliestTold = text.likeliestTold
        return try await model.complete(text.prompt, options, onText: send)
      }
    }
  }

  private typealias Generate =
    @Sendable (LanguageModel, GenerationOptions, @escaping @Sendable (String) -> Void) async throws -> GenerationResult

  private func respond(
    _ name: String?, _ fields: SamplingFields, _ shape: CompletionShape, _ generate: @escaping Generate
  ) async throws -> ServiceResponse {
    let lazy = try await models.find(name)
    guard fields.isStreaming == true else {
      let form = try await lazy.use { model in
        shape.whole(
          try await generate(model, try fields.options(for: model)) { _ in }, model, as: models.identity(of: model))
      }
      return JSON.response(form)
    }
    let used = Mutex<ModelIdentity?>(nil)
    let reply = try await WrittenText { onText in
      try await lazy.use { model in
        let identity = models.identity(of: model)
        used.withLock { $0 = identity }
        let result = try await generate(model, try fields.options(for: model), onText)
        return (result: result, last: shape.last(result, model, as: identity))
      }
    }
    // The first piece is written, or all there is.
    let name = used.withLock { $0 } ?? ModelIdentity(name: models.name)
    return .events { writer in
      @Sendable func send(_ form: CompletionForm) async throws {
        try await writer.write("data: \(JSON.text(form))\n\n")
      }
      do {
        if shape.isChat { try await send(shape.chunk(name, text: "", role: "assistant")) }
        var filter = ToolCallFilter()
        let (result, last) = try await reply.forEach { piece in
          let shown = shape.tools.isEmpty ? piece : filter.append(piece)
          if !shown.isEmpty { try await send(shape.chunk(name, text: shown)) }
        }
        if last.choices.first?.delta?.toolCalls == nil {
          let rest = filter.flush()
          if !rest.isEmpty { try await send(shape.chunk(name, text: rest)) }
        }
        try await send(last)
        if fields.streamOptions?.includesUsage == true {
          var usage = shape.empty(name)
          usage.usage = .init(result.usage)
          try await send(usage)
        }
        try await writer.write("data: [DONE]\n\n")
      } catch let error as ServiceError {
        try await writer.write("data: \(error.json)\n\n")
      } catch  where !(error is ResponseWriter.ReaderGone) && !(error is CancellationError) {
        try await writer.write("data: \(ServiceError(engine: error).json)\n\n")
      }
    }
  }
}
