// SPDX-License-Identifier: Apache-2.0
import Testing

import PetInference
import PetLanguage

@Suite struct FlagTokensTests {
  @Test func theLikeliestIsRaisedWhereAllTogetherAreLikely() {
    // Probabilities 0.5, 0.25, 0.125, 0.125.
    let logits: [Float] = [3, 2, 1, 1].map { $0 * 0.693_147_2 }
    func raised(_ tokens: [Int32], _ threshold: Float) -> Int32? {
      logits.withUnsafeBufferPointer { FlagTokens(tokens: tokens, threshold: threshold).raised(by: $0) }
    }
    #expect(raised([1, 2], 0.37) == 1)
    #expect(raised([1, 2], 0.38) == nil)
    #expect(raised([3, 2, 1], 0.49) == 1)
    #expect(raised([0, 1, 2, 3], 1) == nil)
    #expect(raised([], 0) == nil)
    #expect(raised([-1, 4, .max], 0) == nil)
  }

  /// A raised flag says nothing and leaves the conversation as it was.
  @Test func aFlagEndsTheReplyBeforeItBegins() async throws {
    let session = try LanguageModelSession(model: Models.small(), instructions: "Be kind.")
    var options = GenerationOptions.greedy(maximumTokens: 4)
    let first = try #require(try await session.respond(to: "hello", options: options).tokens.first)

    let fresh = try LanguageModelSession(model: Models.small(), instructions: "Be kind.")
    options.flags = FlagTokens(tokens: [first], threshold: 0)
    let result = try await fresh.respond(to: "hello", options: options)
    #expect(result.flag == first && result.finishReason == .flag && result.text.isEmpty && result.tokens.isEmpty)
    #expect(await fresh.transcript.isEmpty)
  }

  /// A flag that is not raised is no text either, wherever in the reply it would stand.
  @Test func aFlagIsNeverDrawn() async throws {
    var options = GenerationOptions.greedy(maximumTokens: 8)
    let tokens = try await LanguageModelSession(model: Models.small()).respond(to: "hello", options: options).tokens
    for sampled in [false, true] {
      options.flags = FlagTokens(tokens: tokens, threshold: 1)
      if sampled { options.sampling = try Sampler.Options(temperature: 2, topK: 0, seed: 4) }
      let result = try await LanguageModelSession(model: Models.small()).respond(to: "hello", options: options)
      #expect(result.flag == nil && result.tokens.count > 0 && Set(result.tokens).isDisjoint(with: tokens))
    }
  }
}
