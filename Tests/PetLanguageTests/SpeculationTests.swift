// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import Testing

@Suite("Tokens that are guessed ahead", .timeLimit(.minutes(5)))
struct SpeculationTests {
  private static let nano = Models.fixture("../../Models/nano-v6.gguf").path

  private func model(_ path: String = nano, draft: String? = nil) throws -> LanguageModel {
    var options = LanguageModel.LoadOptions(threadCount: 2, contextLength: 512)
    options.draft = try draft.map { try GGUFFile(path: $0) }
    return try LanguageModel(path: path, options)
  }

  private static let prompts = [
    "one two three four five six seven one two three four five", "Hello!", "a a a a a a a a",
    "The cat sat on the mat. The dog sat on the rug. The cat sat on", "x = 1; y = 2; x = 1; y = 2; x =",
  ]

  private func options(_ seed: Int, speculates: Bool) throws -> GenerationOptions {
    var options = try GenerationOptions(
      sampling: .init(
        temperature: seed % 2 == 0 ? 0 : 0.9, repetitionPenalty: seed % 3 == 0 ? 1 : 1.1, seed: UInt64(seed)),
      maximumTokens: 40 + seed % 7)
    options.stopsAtEnd = seed % 4 > 0
    options.speculates = speculates
    return options
  }

  /// With the same seed the same tokens: then nothing about how likely they are has changed.
  @Test("change nothing of what is said", arguments: [nil, nano])
  func same(draft: String?) async throws {
    let (plain, quick) = (try model(), try model(draft: draft))
    var (guessed, accepted) = (0, 0)
    for (number, prompt) in Self.prompts.enumerated() {
      for seed in number..<number + 8 {
        let expected = try await plain.complete(prompt, options(seed, speculates: false))
        let found = try await quick.complete(prompt, options(seed, speculates: true))
        #expect(found.tokens == expected.tokens && found.text == expected.text, "\(prompt), seed \(seed)")
        #expect(found.finishReason == expected.finishReason)
        #expect(expected.usage.guessedTokens == 0)
        guessed += found.usage.guessedTokens
        accepted += found.usage.acceptedTokens
      }
    }
    #expect(guessed > 0 && accepted > 0 && accepted <= guessed, "\(accepted) of \(guessed)")
  }

  @Test("change nothing at the end of the context")
  func end() async throws {
    let path = Models.fixture("models/phi3-longrope/model.gguf").path
    for context in [40, 64, 90] {
      var expected: GenerationResult?
      for speculates in [false, true] {
        let model = try LanguageModel(path: path, .init(threadCount: 1, contextLength: context))
        var options = GenerationOptions.greedy(maximumTokens: 200)
        (options.stopsAtEnd, options.speculates) = (false, speculates)
        let result = try await model.complete("a b a b a b a b", options)
        #expect(result.finishReason == .context)
        #expect(expected == nil || expected?.tokens == result.tokens)
        expected = result
      }
    }
  }

  /// LongRoPE turns keys by the length that the conversation has, not by what of it is read.
  @Test("come from a model that reads on where the conversation is longer than its first context")
  func long() throws {
    let weights = try TransformerWeights(
      file: GGUFFile(path: Models.fixture("models/phi3-longrope/model.gguf").path), layout: .rowMajor)
    let history = (0..<100).map { Int32($0 * 3) }
    let transformer = try Transformer(weights, threadCount: 1)
    try transformer.forward(history[...], cache: KVCache(weights.configuration, capacity: 128))
    let next = try Sampler.likeliest(UnsafeBufferPointer(transformer.logits))
    let draft = try DraftModel(weights, threadCount: 1, .f16, nil)
    let cache = draft.makeCache(capacity: 128)
    var guesses: [Int32] = []
    // It reads 32 tokens at once.
    for _ in 0..<4 where guesses.isEmpty { guesses = try draft.guess(after: history, count: 4, in: cache) }
    #expect(guesses.count == 4 && guesses.first == next)
  }

  @Test("come from a model with the same vocabulary, or not at all")
  func vocabulary() throws {
    let other = Models.fixture("models/phi3-mha/model.gguf").path
    #expect(throws: LanguageModelError.otherVocabulary(path: other)) { try model(draft: other) }
  }
}
