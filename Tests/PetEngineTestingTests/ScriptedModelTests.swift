// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import PetEngineTesting
import Testing

@Suite("A scripted model in the place of a real one", .timeLimit(.minutes(1)))
struct ScriptedModelTests {
  private static let small = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/models/phi3-mha/model.gguf").path

  /// What holds for every model, with weights or without.
  private func followsTheRules(_ model: some RespondingModel) async throws {
    let options = GenerationOptions.greedy(maximumTokens: 6)
    let session = try model.makeSession(instructions: "Be kind.")
    try await session.prewarm()
    var streamed = ""
    var ends: [GenerationResult] = []
    for try await snapshot in session.streamResponse(to: "one", options: options) {
      #expect(ends.isEmpty, "the end is the last")
      streamed += snapshot.piece
      #expect(snapshot.text == streamed && snapshot.piece.isEmpty == (snapshot.result != nil))
      if let result = snapshot.result { ends.append(result) }
    }
    let first = try #require(ends.first)
    #expect(ends.count == 1 && first.text == streamed && !streamed.isEmpty)
    #expect(first.finishReason == .length && first.tokens.count == 6 && first.usage.completionTokens == 6)

    // Who comes while another is answered waits.
    async let second = session.respond(to: "two", options: options)
    async let third = session.respond(to: "three", options: options)
    let later = try await [second, third]
    #expect(later.allSatisfy { $0.usage.promptTokens > first.usage.promptTokens && $0.usage.cachedTokens > 0 })
    #expect(await session.transcript.count == 3)
    #expect(await session.transcript.first == .init(user: "one", reply: streamed))

    // Cancelled before it began: nothing was said.
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await session.respond(to: "four", options: options)
    }
    #expect(try await task.value.finishReason == .cancelled)
    #expect(await session.transcript.count == 3)

    // Cancelled while it is said: it ends, and what was said stays.
    var pieces = 0
    for try await snapshot in session.streamResponse(to: "five", options: options) {
      if snapshot.result == nil { pieces += 1 }
      if pieces == 1 { break }
    }
    #expect(pieces == 1)
    let sixth = try await session.respond(to: "six", options: options)
    let transcript = await session.transcript
    #expect(transcript.count == 5 && transcript[3].user == "five" && transcript[4].reply == sixth.text)
  }

  @Test("it keeps the rules that a model with weights keeps")
  func sameRules() async throws {
    try await followsTheRules(LanguageModel(path: Self.small, .init(threadCount: 1)))
    try await followsTheRules(ScriptedModel { _, _ in .text("a b c d e f g h") })
  }

  @Test("it says its lines in order, keeps what it was asked, and one more is an error that leaves no trace")
  func script() async throws {
    let options = GenerationOptions.greedy()
    let model = ScriptedModel([.text("Hello, Ada!"), .overloaded(), .failure(CancellationError(), after: "We")])
    let (a, b) = (model.makeSession(instructions: "Be kind."), model.makeSession())
    #expect(try await a.respond(to: "Ada", options: options).text == "Hello, Ada!")
    await #expect(throws: LanguageModelError.overloaded(running: 16, waiting: 256)) {
      try await b.respond(to: "Bob", options: options)
    }
    await #expect(throws: CancellationError.self) { try await a.respond(to: "Ada again", options: options) }
    await #expect(throws: SamplingError.self) { try await a.respond(to: "none", options: .greedy(maximumTokens: 0)) }
    await #expect(throws: ScriptEndedError(replies: 3)) { try await a.respond(to: "more", options: options) }
    #expect(await a.transcript.count == 1)
    #expect(
      model.requests.prefix(3) == [
        ScriptedRequest(instructions: "Be kind.", transcript: [], message: "Ada", options: options),
        ScriptedRequest(instructions: nil, transcript: [], message: "Bob", options: options),
        ScriptedRequest(
          instructions: "Be kind.", transcript: [.init(user: "Ada", reply: "Hello, Ada!")], message: "Ada again",
          options: options),
      ])
  }

  @Test("text comes word by word, the cap cuts it, counts are given or told from words")
  func counts() async throws {
    var usage = GenerationResult.Usage()
    usage.promptTokens = 40
    let model = ScriptedModel([.text("one two  three"), .text("one two three"), .init(pieces: ["x"], usage: usage)])
    let session = model.makeSession(instructions: "Be kind.")
    var pieces: [String] = []
    for try await snapshot in session.streamResponse(to: "Count to three", options: .greedy()) {
      guard let result = snapshot.result else {
        pieces.append(snapshot.piece)
        continue
      }
      #expect(result.usage.promptTokens == 5 && result.usage.completionTokens == 3 && result.finishReason == .stop)
    }
    #expect(pieces == ["one", " two", "  three"])
    let cut = try await session.respond(to: "again", options: .greedy(maximumTokens: 2))
    #expect(cut.text == "one two" && cut.finishReason == .length)
    #expect(try await session.respond(to: "again", options: .greedy()).usage == usage)
  }

  @Test("a held reply goes on until it is cancelled; delays are those of the clock that was given")
  func time() async throws {
    let model = ScriptedModel(
      [.held(after: "Once upon"), .text("a b c").delayed(by: .seconds(3600))], clock: ImmediateClock())
    let session = model.makeSession()
    // Leaving the loop ends it, though the stream is kept.
    let stream = session.streamResponse(to: "a tale", options: .greedy())
    defer { withExtendedLifetime(stream) {} }
    for try await snapshot in stream where snapshot.text == "Once upon" { break }
    #expect(try await session.respond(to: "letters", options: .greedy()).text == "a b c")
    #expect(await session.transcript.map(\.reply) == ["Once upon", "a b c"])
  }
}
