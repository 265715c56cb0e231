// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetInference
import PetLanguage
import Synchronization
import Testing

@Suite struct LanguageModelTests {
  private func complete(
    _ model: LanguageModel, _ prompt: String, _ options: GenerationOptions
  ) async throws -> (streamed: String, result: GenerationResult) {
    var streamed = ""
    for try await snapshot in model.streamCompletion(of: prompt, options) {
      streamed += snapshot.piece
      if let result = snapshot.result { return (streamed, result) }
    }
    throw CancellationError()
  }

  @Test(arguments: ["llama-gqa", "phi3-mha", "phi3-longrope", "phi3-window"])
  func streamsWhatItReturns(_ name: String) async throws {
    let model = try Models.small(name)
    let (streamed, result) = try await complete(model, "hello there", .greedy(maximumTokens: 40))
    #expect(streamed == result.text)
    #expect(result.usage.completionTokens == result.tokens.count)
    #expect(result.finishReason == .stop || result.tokens.count == 40)
  }

  @Test func threadsDoNotChangeTheAnswer() async throws {
    let one = try await complete(Models.small(), "hello", .greedy(maximumTokens: 50)).result
    let three = try await complete(Models.small(threads: 3), "hello", .greedy(maximumTokens: 50)).result
    #expect(one.tokens == three.tokens)
  }

  @Test func theContextIsTheLimit() async throws {
    let model = try Models.small(contextLength: 24)
    var options = GenerationOptions.greedy(maximumTokens: 100)
    options.stopsAtEnd = false
    let result = try await complete(model, "hi", options).result
    #expect(result.finishReason == .context)
    // The token that no longer fits was still drawn from the last position.
    #expect(result.usage.promptTokens + result.usage.completionTokens == 25)
    await #expect(throws: InferenceError.self) {
      _ = try await complete(model, String(repeating: "much too long ", count: 20), options)
    }
  }

  /// A continuation keeps the space between it and the prompt: it is a part of the same text.
  @Test func continuationsKeepTheirSpace() async throws {
    let model = try Models.small("llama-tied")
    let options = try GenerationOptions(
      sampling: .init(temperature: 8, topK: 0, topP: 1, minP: 0, seed: 8), maximumTokens: 30, stopsAtEnd: false)
    let result = try await model.complete("a b", options)
    let pieces = result.tokens.map { String(decoding: model.tokenizer.bytes(of: $0), as: UTF8.self) }
    #expect(result.text.hasPrefix(" ") == pieces.first { !$0.isEmpty }?.hasPrefix(" "))
    #expect(pieces.contains { $0.hasPrefix(" ") })
  }

  @Test func cancellationEndsAtTheNextToken() async throws {
    let model = try Models.small()
    var options = GenerationOptions.greedy(maximumTokens: 1_000_000)
    options.stopsAtEnd = false
    let endless = options
    let task = Task {
      for try await _ in model.streamCompletion(of: "hello", endless) { return }
    }
    try await task.value
    // Leaving the loop ended the stream, which cancelled the generation: the worker is free for the next request.
    let result = try await complete(model, "hello", .greedy(maximumTokens: 2)).result
    #expect(result.tokens.count <= 2)
  }

  @Test func refusesAFileThatIsNotThere() throws {
    #expect(throws: FileError.self) { try LanguageModel(path: "/nonexistent.gguf", .init(threadCount: 1)) }
  }

  @Test("a path and a URL load the same model, telling how far they are; the URL of no file is refused")
  func loads() async throws {
    let path = try Models.small().path
    let parts = Mutex<[Double]>([])
    let model = try await LanguageModel.load(path: path, .init(threadCount: 1)) { part in
      parts.withLock { $0.append(part) }
    }
    let told = parts.withLock { $0 }
    #expect(told.count > 1 && told == told.sorted() && told.last == 1)
    let same = try await LanguageModel.load(contentsOf: URL(filePath: path), .init(threadCount: 1))
    #expect(same.path == model.path && same.fingerprint == model.fingerprint)
    let page = try #require(URL(string: "https://example.org/model.gguf"))
    await #expect(throws: FileError.self) { try await LanguageModel.load(contentsOf: page, .init(threadCount: 1)) }
  }

  @Test(
    "options take any value, and one out of its range is an error before anything is computed",
    arguments: [(-0.1, 8), (11.0, 8), (Double.nan, 8), (1.0, 0), (1.0, 1_000_001)])
  func refusesOptions(_ temperature: Double, _ tokens: Int) async throws {
    let model = try Models.small()
    let session = try LanguageModelSession(model: model)
    let options = GenerationOptions(temperature: temperature, maximumTokens: tokens)
    await #expect(throws: SamplingError.self) { try await session.respond(to: "Hello!", options: options) }
    await #expect(throws: SamplingError.self) { try await model.complete("Hello!", options) }
    await #expect(throws: SamplingError.self) {
      for try await _ in session.streamResponse(to: "Hello!", options: options) { Issue.record("something is written") }
    }
    #expect(await model.worker.passes == 0)
    #expect(await session.transcript.isEmpty)
  }

  @Test("every number of the sampling can be said, and one out of its range is an error")
  func sampling() async throws {
    let options = GenerationOptions(temperature: 0.5, topK: 7, topP: 0.5, minP: 0.25, repetitionPenalty: 1.5, seed: 3)
    #expect(
      try options.sampling
        == Sampler.Options(temperature: 0.5, topK: 7, topP: 0.5, minP: 0.25, repetitionPenalty: 1.5, seed: 3))
    let model = try Models.small()
    for wrong in [GenerationOptions(topK: -1), .init(topP: 2), .init(minP: -1), .init(repetitionPenalty: -1)] {
      await #expect(throws: SamplingError.self) { try await model.complete("Hello!", wrong) }
    }
  }

  @Test("the same seed gives the same reply, none a random one; the likeliest tokens need none")
  func seeds() {
    #expect(GenerationOptions(temperature: 0.5, seed: 7) == GenerationOptions(temperature: 0.5, seed: 7))
    #expect(GenerationOptions().sampling.seed != GenerationOptions().sampling.seed)
    #expect(!GenerationOptions().isRepeatable && GenerationOptions(seed: 7).isRepeatable)
    #expect(GenerationOptions(temperature: 0) == .greedy())
  }
}
