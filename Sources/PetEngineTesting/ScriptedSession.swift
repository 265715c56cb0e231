// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// A conversation with a ``ScriptedModel``. Turns follow one another, as those of a `LanguageModelSession` do.
public actor ScriptedSession: RespondingSession {
  public nonisolated let model: ScriptedModel
  public nonisolated let instructions: String?
  public private(set) var transcript: [LanguageModelSession.Turn] = []
  private nonisolated let queue = TurnQueue()

  init(_ model: ScriptedModel, instructions: String?) {
    self.model = model
    self.instructions = instructions
  }

  public func prewarm() { model.countPrewarm() }

  /// Says what the script says. Cancelling the task ends it before the next piece, with what there is.
  /// - Throws: `SamplingError` for options out of their ranges, before anything is said; what the script says;
  ///   ``ScriptEndedError``.
  public func respond(
    to message: String, options: GenerationOptions, onText: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    try options.check()
    await queue.begin()
    defer { queue.end() }
    let request = ScriptedRequest(
      instructions: instructions, transcript: transcript, message: message, options: options)
    let reply = try model.reply(to: request)
    var result = GenerationResult(text: "", tokens: [], finishReason: .stop)
    result.finishReason = try await say(reply, options, &result, onText)
    result.usage = reply.usage ?? usage(request, result)
    if !result.tokens.isEmpty { transcript.append(.init(user: message, reply: result.text)) }
    return result
  }

  private func say(
    _ reply: ScriptedReply, _ options: GenerationOptions, _ result: inout GenerationResult,
    _ onText: @Sendable (String) -> Void
  ) async throws -> GenerationResult.FinishReason {
    for (index, piece) in reply.pieces.enumerated() {
      if let delay = reply.delay { try? await model.clock.sleep(for: delay) }
      if Task.isCancelled { return .cancelled }
      result.tokens.append(Int32(clamping: index))
      result.text += piece
      onText(piece)
      if result.tokens.count >= options.maximumTokens, index + 1 < reply.pieces.count { return .length }
    }
    switch reply.ending {
    case .finished(let reason): return reason
    case .failed(let error): throw error
    case .held:
      // Ends when the task is cancelled.
      let (never, continuation) = AsyncStream<Never>.makeStream()
      for await _ in never {}
      continuation.finish()
      return .cancelled
    }
  }

  /// Words instead of tokens: enough to tell more from less.
  private func usage(_ request: ScriptedRequest, _ result: GenerationResult) -> GenerationResult.Usage {
    let before = request.transcript.flatMap { [$0.user, $0.reply] } + [request.instructions ?? ""]
    var usage = GenerationResult.Usage()
    usage.cachedTokens = before.reduce(0) { $0 + $1.split(whereSeparator: \.isWhitespace).count }
    usage.promptTokens = usage.cachedTokens + request.message.split(whereSeparator: \.isWhitespace).count
    usage.completionTokens = result.tokens.count
    return usage
  }
}
