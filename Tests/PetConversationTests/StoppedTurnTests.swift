// SPDX-License-Identifier: Apache-2.0
import PetEngine
import SamplePets
import Synchronization
import SeededGenerator
import Testing

/// A turn comes into a conversation whole, or not at all.
@Suite struct StoppedTurnTests {
  /// Of each kind: written words, what the model says freely, what it is held to, what is recalled, grave lines, a long one.
  private static let lines = [
    "Hello!", "My name is Ottoline.", "i lost my job today", "The kettle is red and my socks are wet.",
    "what is my name?", "we won the cup!!", "my grandma died on sunday", "What shall I cook tonight?", "tell me a joke",
    "the bus driver was singing", "i want to kill myself", "are you a real person?",
    String(repeating: "and then it rained on the long road to the sea, ", count: 12) + "and I slept.",
  ]

  private func model() throws -> LanguageModel {
    try LanguageModel.builtIn(.init(threadCount: 1, contextLength: 512))
  }

  @Test(
    "a reply that is stopped before its first word changes nothing, also where the words are expected to show something",
    arguments: ["i lost my job today", "we won the cup!!", "what is the name of my dog?", "The kettle is red."])
  func stoppedAtOnce(line: String) async throws {
    let companion = try Companion(model(), pet: Pets.mochi())
    for line in ["My dog is called Wotan.", "The bus driver was singing again."] {
      _ = try await companion.respond(to: line, options: .greedy(maximumTokens: 40))
    }
    let before = await companion.state()
    let shares = await companion.pet.shares
    let shown = Mutex("")
    let turn = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await companion.respond(to: line, options: .greedy(maximumTokens: 40)) { piece in
        shown.withLock { $0 += piece }
      }
    }
    let answer = try await turn.value
    guard answer.isDiscarded else {
      // Written words take no time.
      #expect(answer.source != .model)
      return
    }
    #expect(shown.withLock { $0 } == "" && answer.generation.tokens.isEmpty)
    #expect(await companion.state() == before)
    #expect(await companion.pet.shares == shares)
    // And the next turn is as if it had been the first try.
    let never = try Companion(model(), pet: Pets.mochi(), resuming: before)
    let again = try await companion.respond(to: "Is it late?", options: .greedy(maximumTokens: 40))
    #expect(
      try await never.respond(to: "Is it late?", options: .greedy(maximumTokens: 40)).generation.usage.promptTokens
        == again.generation.usage.promptTokens)
  }

  @Test("500 turns that are stopped at any moment: each is in the conversation as it was shown, or never was")
  func stoppedAnywhere() async throws {
    var dice = SeededGenerator(seed: 35)
    var companion = try Companion(model(), pet: Pets.mochi())
    var (whole, stopped, never) = (0, 0, 0)
    for number in 0..<500 {
      if number % 50 == 0 { companion = try Companion(companion.model, pet: Pets.mochi()) }
      let line = Self.lines[Int.random(in: Self.lines.indices, using: &dice)]
      let before = await companion.state()
      let shown = Mutex("")
      let turn = Task { [companion] in
        try await companion.respond(to: line, options: .greedy(maximumTokens: 64)) { piece in
          shown.withLock { $0 += piece }
        }
      }
      // A turn takes some 30 ms here; where all take longer, more of them are stopped early.
      let delay = Task { [wait = Int.random(in: 0..<40_000, using: &dice)] in
        try? await Task.sleep(for: .microseconds(wait))
        turn.cancel()
      }
      let answer = try await turn.value
      delay.cancel()
      let after = await companion.state()
      guard !answer.isDiscarded else {
        #expect(after == before && shown.withLock { $0 } == "", "\(line)")
        never += 1
        continue
      }
      let last = try #require(after.exchanges.last)
      #expect(after.turns == before.turns + 1 && last.user == line)
      // Where old turns were left out, what the model is told stands before another one.
      let kept = before.exchanges.suffix(after.exchanges.count - 1)
      #expect(after.exchanges.dropLast().map(\.user) == kept.map(\.user))
      #expect(after.exchanges.dropLast().map(\.reply) == kept.map(\.reply))
      #expect(answer.reply.text == shown.withLock { $0 } && last.reply.hasPrefix(answer.reply.text), "\(last.reply)")
      #expect(last.reply == answer.reply.written || last.reply == answer.generation.text, "\(last.reply)")
      if answer.generation.finishReason == .cancelled {
        stopped += 1
        // The model never sees half of a mark.
        #expect(last.reply.contains("{") == last.reply.hasSuffix("}"), "\(last.reply)")
      } else {
        whole += 1
      }
    }
    #expect(never > 20 && whole > 20, "\(whole) whole, \(stopped) stopped as they were shown, \(never) never were")
  }

  @Test("a turn that fails leaves the conversation as it was")
  func failed() async throws {
    let companion = try Companion(Pets.stranger(), pet: Pets.mochi())
    _ = try await companion.respond(to: "The kettle is red.", options: .greedy(maximumTokens: 20))
    let before = await companion.state()
    var impossible = GenerationOptions.greedy(maximumTokens: 20)
    // Of another model.
    impossible.grammar = try model().outputGrammar(ReplyForm())
    await #expect(throws: (any Error).self) { try await companion.respond(to: "And the lid?", options: impossible) }
    #expect(await companion.state() == before)
  }

  @Test("answers are kept where the same request will come again: without chance, or with a seed that somebody chose")
  func repeatable() async throws {
    let model = try model()
    func options(_ temperature: Float, isSeedRandom: Bool) throws -> GenerationOptions {
      var options = try GenerationOptions(
        sampling: .init(temperature: temperature, seed: 7), stopsAtLoop: true)
      options.isSeedRandom = isSeedRandom
      return options
    }
    for (temperature, isSeedRandom, isKept) in [(0, true, true), (0.7, false, true), (0.7, true, false)]
      as [(Float, Bool, Bool)]
    {
      let folder = PetFolder()
      for run in 0..<2 {
        let pet = try folder.pet("zest")
        let companion = try Companion(model, pet: pet)
        let lines = ["Your kettle has a lid of brass.", "Your kettle is very old."]
        for line in lines {
          _ = try await companion.respond(to: line, options: options(temperature, isSeedRandom: isSeedRandom))
        }
        let statistics = try #require(pet.cacheStatistics)
        #expect(statistics.hits == (isKept && run == 1 ? 2 : 0) && statistics.misses == (isKept && run == 0 ? 2 : 0))
        #expect(statistics.entries == (isKept ? 2 : 0), "temperature \(temperature)")
      }
    }
  }
}
