import NIOHTTP1
import PetEngine

/// `POST /pet/completions`: a text is continued as `pet complete` does it.
struct TextRoutes: Sendable {
  let models: ServedModels

  func add(to router: inout Router) {
    router.on(.POST, "/pet/completions") { request, _ in
      let text = try JSON.decode(TextRequest.self, request.body)
      guard request.takesEvents else {
        return JSON.response(
          try await models.language.use { model in
            CompletionReport(try await model.complete(text.prompt, try text.options(for: model)))
          })
      }
      // What is wrong with a request is told by its status, before anything is streamed.
      _ = try await models.language.use { try text.options(for: $0) }
      return events(text)
    }
  }

  /// `token` for each piece, then `done`, or `error`.
  private func events(_ text: TextRequest) -> ServiceResponse {
    .events { writer in
      let (pieces, continuation) = AsyncStream.makeStream(of: String.self)
      do {
        async let written = {
          defer { continuation.finish() }
          return try await models.language.use { model in
            CompletionReport(
              try await model.complete(text.prompt, try text.options(for: model)) { continuation.yield($0) })
          }
        }()
        for await piece in pieces {
          try await writer.write("event: token\ndata: \(JSON.text(["text": piece]))\n\n")
        }
        let report = JSON.text(try await written)
        try await writer.write("event: done\ndata: \(report)\n\n")
      } catch  where !(error is ResponseWriter.ReaderGone) && !(error is CancellationError) {
        try await writer.write("event: error\ndata: \(ServiceError(engine: error).json)\n\n")
      }
    }
  }
}
