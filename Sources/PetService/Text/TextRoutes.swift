// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1
import PetAPI
import PetEngine

/// `POST /pet/completions`: a text is continued as `pet complete` does it.
struct TextRoutes: Sendable {
  let models: ServedModels
  let net: SafetyNet

  func add(to router: inout Router) {
    router.on(.POST, "/pet/completions") { request, _ in
      let text = try JSON.decode(TextRequest.self, request.body)
      guard request.takesEvents else { return JSON.response(try await report(on: text) { _ in }) }
      return events(try await WrittenText { try await report(on: text, onText: $0) })
    }
  }

  private func report(
    on text: TextRequest, onText: @escaping @Sendable (String) -> Void
  ) async throws -> CompletionReport {
    try await models.language.use { model in
      let options = try text.options(for: model)
      let reply = try await net.completion(
        of: text.prompt, isChat: text.isChat == true, by: model, options, keepsMarks: text.isRaw == true,
        onText: onText)
      return CompletionReport(reply, by: models.identity(of: model))
    }
  }

  /// `token` for each piece, then `done`, or `error`.
  private func events(_ report: WrittenText<String, CompletionReport>) -> ServiceResponse {
    .events { writer in
      do {
        let report = try await report.forEach { piece in
          try await writer.write("event: token\ndata: \(JSON.text(["text": piece]))\n\n")
        }
        try await writer.write("event: done\ndata: \(JSON.text(report))\n\n")
      } catch  where !(error is ResponseWriter.ReaderGone) && !(error is CancellationError) {
        try await writer.write(
          "event: error\ndata: \((error as? ServiceError ?? ServiceError(engine: error)).json)\n\n")
      }
    }
  }
}
