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
            CompletionReport(
              try await model.complete(text.prompt, try text.options(for: model)), by: models.identity(of: model))
          })
      }
      let report = try await WrittenText { onText in
        try await models.language.use { model in
          CompletionReport(
            try await model.complete(text.prompt, try text.options(for: model), onText: onText),
            by: models.identity(of: model))
        }
      }
      return events(report)
    }
  }

  /// `token` for each piece, then `done`, or `error`.
  private func events(_ report: WrittenText<CompletionReport>) -> ServiceResponse {
    .events { writer in
      do {
        let report = try await report.forEach { piece in
          try await writer.write("event: token\ndata: \(JSON.text(["text": piece]))\n\n")
        }
        try await writer.write("event: done\ndata: \(JSON.text(report))\n\n")
      } catch  where !(error is ResponseWriter.ReaderGone) && !(error is CancellationError) {
        try await writer.write("event: error\ndata: \(ServiceError(engine: error).json)\n\n")
      }
    }
  }
}
