// SPDX-License-Identifier: Apache-2.0
/// A conversation, as code that talks needs it: a ``LanguageModelSession``, one with tools (``ToolSession``), or in tests the
/// scripted one of PetEngineTesting.
public protocol RespondingSession: Sendable {
  /// The turns so far.
  var transcript: [LanguageModelSession.Turn] { get async }

  /// Prepares for the first message.
  func prewarm() async throws

  /// Answers `message`. Cancelling the task stops the reply with what there is; that stays in the conversation. After an error
  /// the conversation is as before, but for calls of tools that were made.
  /// - Parameter onText: receives the reply piece by piece as it comes.
  func respond(
    to message: String, options: GenerationOptions, onText: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult
}

extension RespondingSession {
  /// Answers `message`.
  public func respond(
    to message: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> GenerationResult {
    try await respond(to: message, options: options, onText: { _ in })
  }

  /// Answers `message`, streaming: each element is all of the reply so far. Ending the stream early stops the reply; what was said
  /// until then stays in the conversation.
  public func streamResponse(
    to message: String, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream {
    ResponseStream { emit in try await self.respond(to: message, options: options, onText: emit) }
  }
}

/// What conversations are begun with: a ``LanguageModel``, or in tests PetEngineTesting's scripted one.
public protocol RespondingModel: Sendable {
  associatedtype Session: RespondingSession

  /// - Parameter instructions: the system text.
  func makeSession(instructions: String?) throws -> Session
}

extension LanguageModel: RespondingModel {
  /// A new conversation.
  /// - Throws: as ``LanguageModelSession/init(model:instructions:adapter:)``.
  public func makeSession(instructions: String? = nil) throws -> LanguageModelSession {
    try LanguageModelSession(model: self, instructions: instructions)
  }
}
