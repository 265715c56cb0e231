// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetLanguage
import Testing

@Suite("A conversation without its model")
struct SessionStateTests {
  private let options: GenerationOptions

  init() throws { options = .greedy(maximumTokens: 12) }

  /// Two turns, then a third in the session itself and in one that was made of what was kept, written and read again.
  @Test("goes on with the same tokens on the same model, loaded anew", arguments: ["phi3-mha", "llama-gqa"])
  func same(_ name: String) async throws {
    let session = try LanguageModelSession(model: Models.small(name), instructions: "Be kind.")
    for line in ["Hello!", "And now?"] { _ = try await session.respond(to: line, options: options) }
    let kept = try JSONEncoder().encode(await session.state())
    let state = try JSONDecoder().decode(SessionState.self, from: kept)
    #expect(kept.count < 4000)
    let resumed = try LanguageModelSession(model: Models.small(name), resuming: state)
    #expect(await resumed.transcript == session.transcript)
    let (here, there) = (
      try await session.respond(to: "Go on.", options: options),
      try await resumed.respond(to: "Go on.", options: options)
    )
    #expect(here.tokens == there.tokens && here.usage.promptTokens == there.usage.promptTokens)
    #expect(here.usage.cachedTokens > 0 && there.usage.cachedTokens == 0)
    #expect(await resumed.state() == session.state())
  }

  @Test("goes on with the same words on a model of another vocabulary")
  func another() async throws {
    let session = try LanguageModelSession(model: Models.small(contextLength: 200), instructions: "Be kind.")
    for turn in 0..<8 { _ = try await session.respond(to: "This is line number \(turn).", options: options) }
    let state = await session.state()
    #expect(state.droppedTurns > 0 && state.exchanges.map(\.user).last == "This is line number 7.")
    let nano = try Models.Reference.nano.load()
    let resumed = try LanguageModelSession(model: nano, resuming: state, instructions: "Be short.")
    #expect(await resumed.transcript == session.transcript)
    // Not the tokens: they would mean other words.
    let expected = try nano.tokenizer.encode("This is line number 7.").count
    let fresh = try LanguageModelSession(model: nano, instructions: "Be short.")
    let alone = try await fresh.respond(to: "Go on.", options: options)
    let longer = try await resumed.respond(to: "Go on.", options: options)
    #expect(longer.usage.promptTokens > alone.usage.promptTokens + expected)
    #expect(await resumed.state().droppedTurns == state.droppedTurns)
  }
}
