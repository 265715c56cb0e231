// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1
import PetAPI
import PetEngine
import Synchronization

/// `POST /v1/chat/completions` and `POST /v1/completions`.
struct CompletionRoutes: Sendable {
  let models: ServedModels
  let net: SafetyNet

  /// https://platform.openai.com/docs/api-reference/completions/create
  private struct TextRequest: Decodable {
    let model: String?
    let prompt: String
    let sampling: SamplingFields
    let likeliestTold: Int?
    /// Whether the prompt stands before the text.
    let echoes: Bool

    /// What is asked for and not given.
    var untold: [String] { echoes && likeliestTold != nil ? ["logprobs of the prompt"] : [] }

    /// As of ``CompletionShape/setAside``.
    var setAside: [String] { sampling.setAside + (likeliestTold == nil ? [] : ["logprobs"]) }

    enum CodingKeys: String, CodingKey {
      case model, prompt, logprobs, echo, suffix
      case bestOf = "best_of"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      model = try values.decodeIfPresent(String.self, forKey: .model)
      if let list = try? values.decode([String].self, forKey: .prompt), list.count == 1, let only = list.first {
        prompt = only
      } else if Self.holdsNumbers(values) {
        throw ServiceError.invalid("prompt", "prompt must be a text; numbers of tokens are not read")
      } else if (try? values.nestedUnkeyedContainer(forKey: .prompt)) != nil {
        throw ServiceError.invalid("prompt", "prompt must be one text; give each of several a request of its own")
      } else {
        prompt = try values.decode(String.self, forKey: .prompt)
      }
      sampling = try SamplingFields(from: decoder)
      likeliestTold = try values.integer(.logprobs, 0...5)
      echoes = try values.decodeIfPresent(Bool.self, forKey: .echo) ?? false
      if try values.decodeIfPresent(String.self, forKey: .suffix)?.isEmpty == false {
        try values.refuse(.suffix, "models here write on at the end only")
      }
      let best: Int? = try values.integer(.bestOf, 1...20)
      guard best ?? 1 == 1 else {
        throw ServiceError.invalid("best_of", "the best of several replies is not chosen; give n to have them all")
      }
    }

    /// Whether the prompt is a list of numbers, or begins with one.
    private static func holdsNumbers(_ values: KeyedDecodingContainer<CodingKeys>) -> Bool {
      let numbers =
        (try? values.decode([Double].self, forKey: .prompt))
        ?? (try? values.decode([[Double]].self, forKey: .prompt))?.first
      return numbers?.isEmpty == false
    }
  }

  func add(to router: inout Router) {
    router.on(.POST, "/v1/chat/completions") { request, _ in
      let body = try JSON.read(ChatRequest.self, request.body)
      let chat = body.value
      let conversation = try chat.conversation(minding: net)
      let registry = try chat.tools.registry()
      let notes = CompletionForm.Notes(
        shortened: conversation.shortened, moved: conversation.moved,
        ignored: body.unreadFields + chat.unenforced)
      let shape = CompletionShape(
        request, isChat: true, tools: registry?.names ?? [], mustCall: registry != nil && chat.tools.choice != .auto,
        notes, setAside: chat.setAside)
      let said = conversation.said
      let hearing = said.last.map { net.hearing(of: $0.user, after: Array(said.dropLast())) } ?? .nothing
      return try await respond(chat.model, chat.sampling, shape, hearing) { model, options in
        let instructions = [conversation.instructions, registry?.instructions].compactMap(\.self)
        let session = try LanguageModelSession(
          model: model, instructions: instructions.isEmpty ? nil : instructions.joined(separator: "\n\n"))
        for turn in conversation.turns {
          try Task.checkCancellation()
          try await session.append(turn)
        }
        options.grammar = try chat.grammar(for: model, registry)
        // The client has the whole conversation, and sends it anew.
        options.keepsMostTurns = true
        options.likeliestTold = chat.likeliestTold
        options.asksAboutForced = true
        return { options, send in
          try await session.fork().respond(to: conversation.message, options: options, onText: send)
        }
      }
    }
    router.on(.POST, "/v1/completions") { request, _ in
      let body = try JSON.read(TextRequest.self, request.body)
      let text = body.value
      let shape = CompletionShape(
        request, isChat: false, echo: text.echoes ? text.prompt : "",
        CompletionForm.Notes(ignored: body.unreadFields + text.untold), setAside: text.setAside)
      var hearing = net.hearing(ofText: text.prompt)
      if text.echoes { hearing.lead = "\n\n" }
      return try await respond(text.model, text.sampling, shape, hearing) { model, options in
        options.likeliestTold = text.likeliestTold
        return { options, send in try await model.complete(text.prompt, options, onText: send) }
      }
    }
  }

  /// Lets the model write one reply.
  private typealias Writer =
    @Sendable (GenerationOptions, @escaping @Sendable (String) -> Void) async throws -> GenerationResult

  /// Makes ready what all replies to a request have in common.
  private typealias Preparation = @Sendable (LanguageModel, inout GenerationOptions) async throws -> Writer

  /// A piece of one of several texts.
  private struct Piece: Sendable {
    let index: Int
    let text: String
  }

  private func respond(
    _ name: String?, _ fields: SamplingFields, _ shape: CompletionShape, _ hearing: SafetyNet.Hearing,
    _ prepare: @escaping Preparation
  ) async throws -> ServiceResponse {
    let lazy = try await models.find(name)
    let used = Mutex(await models.serving.identity)
    let answer: @Sendable (@escaping @Sendable (Piece) -> Void) async throws -> [CompletionShape.Choice] = { send in
      // What is written is said whether or not a model can be had.
      if let words = net.words(for: hearing) {
        return (0..<fields.choiceCount).map { index in
          send(Piece(index: index, text: words.generation.text))
          return CompletionShape.Choice(words, at: index, by: nil)
        }
      }
      return try await lazy.use { model in
        let identity = models.identity(of: model)
        used.withLock { $0 = identity }
        var options = try fields.options(for: model)
        let write = try await prepare(model, &options)
        return try await choices(fields.choiceCount, hearing, by: model, options, send, write)
      }
    }
    let write: @Sendable (@escaping @Sendable (Piece) -> Void) async throws -> [CompletionShape.Choice] = {
      [writings = models.writings] send in try await writings.run { try await answer(send) }
    }
    guard fields.isStreaming == true else {
      let choices = try await write { _ in }
      return JSON.response(shape.whole(choices, by: used.withLock { $0 }))
    }
    let written = try await WrittenText(write)
    // The first piece is written, or all there is.
    return events(written, fields, shape, by: used.withLock { $0 })
  }

  /// Replies to the same, each with a seed of its own.
  private func choices(
    _ count: Int, _ hearing: SafetyNet.Hearing, by model: LanguageModel, _ options: GenerationOptions,
    _ send: @escaping @Sendable (Piece) -> Void, _ write: @escaping Writer
  ) async throws -> [CompletionShape.Choice] {
    try await withThrowingTaskGroup(of: CompletionShape.Choice.self) { group in
      for index in 0..<count {
        var options = options
        options.sampling.seed = RandomSource.seed(options.sampling.seed, of: index)
        group.addTask { [net, options] in
          let reply = try await net.reply(
            to: hearing, by: model, options, onText: { send(Piece(index: index, text: $0)) }, write)
          return CompletionShape.Choice(reply, at: index, by: model, options.sampling.bias)
        }
      }
      var choices: [CompletionShape.Choice] = []
      for try await choice in group { choices.append(choice) }
      return choices.sorted { $0.index < $1.index }
    }
  }

  private func events(
    _ written: WrittenText<Piece, [CompletionShape.Choice]>, _ fields: SamplingFields, _ shape: CompletionShape,
    by model: ModelIdentity
  ) -> ServiceResponse {
    .events { writer in
      let tellsUsage = fields.streamOptions?.includesUsage == true
      @Sendable func send(_ form: CompletionForm) async throws {
        var form = form
        form.tellsUsage = tellsUsage
        try await writer.write("data: \(JSON.text(form))\n\n")
      }
      do {
        var filters = (0..<fields.choiceCount).map { _ in ToolCallFilter() }
        for index in filters.indices where shape.isChat || !shape.echo.isEmpty {
          try await send(shape.chunk(model, text: shape.echo, role: "assistant", index: index))
        }
        let choices = try await written.forEach { piece in
          let shown = shape.tools.isEmpty ? piece.text : filters[piece.index].append(piece.text)
          if !shown.isEmpty { try await send(shape.chunk(model, text: shown, index: piece.index)) }
        }
        for choice in choices {
          let isCall = shape.call(in: choice) != nil || shape.isLostCall(choice)
          let rest = isCall ? "" : filters[choice.index].flush()
          if !rest.isEmpty { try await send(shape.chunk(model, text: rest, index: choice.index)) }
          if let call = shape.callChunk(choice, by: model) { try await send(call) }
          try await send(shape.last(choice, by: model))
        }
        if tellsUsage {
          var usage = shape.empty(model)
          usage.usage = .init(choices.map(\.reply.generation.usage))
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
