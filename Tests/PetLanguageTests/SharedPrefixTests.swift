// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetFiles
import PetInference
import PetLanguage
import Testing

@Suite("Conversations that begin alike", .timeLimit(.minutes(5)))
struct SharedPrefixTests {
  private static let persona = String(repeating: "You are kind and short of words. ", count: 5)

  private func options(_ tokens: Int = 8) throws -> GenerationOptions { .greedy(maximumTokens: tokens) }

  private func model(cacheBytes: Int? = nil) throws -> LanguageModel {
    var options = LanguageModel.LoadOptions(threadCount: 2, contextLength: 512)
    options.cacheBytes = cacheBytes
    return try LanguageModel(path: Models.fixture("models/phi3-mha/model.gguf").path, options)
  }

  @Test("100 conversations keep one persona once, and each computes it no more", arguments: [false, true])
  func once(atOnce: Bool) async throws {
    let model = try model(cacheBytes: .max)
    let first = try LanguageModelSession(model: self.model(), instructions: Self.persona)
    let alone = try await first.respond(to: "Hello!", options: options())
    let sessions = try (0..<100).map { _ in try LanguageModelSession(model: model, instructions: Self.persona) }
    let results = try await withThrowingTaskGroup(of: GenerationResult.self) { group in
      var results: [GenerationResult] = []
      for session in sessions {
        group.addTask { try await session.respond(to: "Hello!", options: self.options()) }
        if !atOnce, let result = try await group.next() { results.append(result) }
      }
      for try await result in group { results.append(result) }
      return results
    }
    #expect(results.allSatisfy { $0.text == alone.text && $0.tokens == alone.tokens })
    let computed = results.map { $0.usage.promptTokens - $0.usage.cachedTokens }.sorted()
    #expect(computed.last == alone.usage.promptTokens || atOnce)
    // At once: they come while the first still reads, and have what it has read then.
    #expect(computed.filter { $0 > 1 }.count <= (atOnce ? 16 : 1), "\(computed)")
    let block = model.pool.layout.blockBytes
    let own = KVLayout.blocks(alone.usage.promptTokens + 8) - (alone.usage.promptTokens - 1) / KVLayout.blockPositions
    #expect(model.cacheByteCount <= (KVLayout.blocks(alone.usage.promptTokens) + 100 * own) * block)
    #expect(100 * alone.usage.promptTokens * block / KVLayout.blockPositions > 4 * model.cacheByteCount)
  }

  @Test("a budget bounds what is kept for later; what is forgotten is computed again, to the same bits")
  func budget() async throws {
    let (model, reference) = (try model(cacheBytes: 0), try model())
    for turn in 0..<3 {
      for name in ["a", "b"] {
        let instructions = Self.persona + name
        let session = try LanguageModelSession(model: model, instructions: instructions)
        let result = try await session.respond(to: "Hello \(turn)", options: options())
        #expect(result.usage.cachedTokens == 0)
        let other = try LanguageModelSession(model: reference, instructions: instructions)
        #expect(try await other.respond(to: "Hello \(turn)", options: options()).tokens == result.tokens)
      }
    }
    _ = try await model.complete("x", options(1))
    #expect(model.cacheByteCount == 0)
    #expect(reference.cacheByteCount > 0)
    await reference.clearCache()
    #expect(reference.cacheByteCount == 0)
  }

  @Test("a fork goes its own way from what was said")
  func fork() async throws {
    let session = try LanguageModelSession(model: model(), instructions: Self.persona)
    _ = try await session.respond(to: "Hello!", options: options())
    let fork = await session.fork()
    #expect(await fork.transcript == session.transcript)
    let (here, there) = (
      try await session.respond(to: "Left.", options: options()),
      try await fork.respond(to: "Right.", options: options())
    )
    let plain = try LanguageModelSession(model: model(), instructions: Self.persona)
    _ = try await plain.respond(to: "Hello!", options: options())
    #expect(try await plain.respond(to: "Left.", options: options()).tokens == here.tokens)
    #expect(there.usage.cachedTokens > there.usage.promptTokens - 16)
    #expect(await fork.transcript.map(\.user) == ["Hello!", "Right."])
    #expect(await session.transcript.map(\.user) == ["Hello!", "Left."])
  }

  @Test("a conversation that was saved goes on in another process without being computed again")
  func saved() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let session = try LanguageModelSession(model: model(), instructions: Self.persona)
    for line in ["Hello!", "And now?"] { _ = try await session.respond(to: line, options: options()) }
    try await session.save(to: path)
    let expected = try await session.respond(to: "Go on.", options: options(30))
    let restored = try LanguageModelSession(model: model(), restoring: path)
    let found = try await restored.respond(to: "Go on.", options: options(30))
    #expect(found.tokens == expected.tokens && found.text == expected.text)
    #expect(found.usage.promptTokens == expected.usage.promptTokens)
    #expect(found.usage.cachedTokens == expected.usage.cachedTokens)
    #expect(await restored.transcript == session.transcript)
    // Another model, another precision, a shorter context: refused, each with its reason.
    func reason(_ model: LanguageModel) throws -> KVSnapshotError.Reason? {
      do {
        _ = try LanguageModelSession(model: model, restoring: path)
        return nil
      } catch let error as KVSnapshotError { return error.reason }
    }
    #expect(try reason(Models.small("phi3-gqa-partial")) == .otherModel)
    let file = Models.fixture("models/phi3-mha/model.gguf").path
    #expect(
      try reason(.init(path: file, .init(threadCount: 1, contextLength: 512, cachePrecision: .q8_0))) == .otherModel)
    #expect(
      try reason(.init(path: file, .init(threadCount: 1, contextLength: 512, kernelVariant: .scalar))) == .otherModel)
    guard case .tooLong? = try reason(.init(path: file, .init(threadCount: 1, contextLength: 64))) else {
      Issue.record("a context that is too short was not refused")
      return
    }
  }

  @Test("a saved conversation whose file is cut short fails alone, and others that begin like it go on")
  func lost() async {
    await #expect(processExitsWith: .success) { try await SharedPrefixTests.loseSaved() }
  }

  private static func loseSaved() async throws {
    MappedFile.surviveLostPages()
    let path = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let tests = SharedPrefixTests()
    let few = try tests.options()
    var many = try tests.options(200)
    many.stopsAtEnd = false
    let reference = try tests.model()
    let expected = try await reference.complete("Once", many)
    let session = try LanguageModelSession(model: reference, instructions: persona)
    let first = try await session.respond(to: "Hello!", options: few)
    try await session.save(to: path)

    let model = try tests.model(cacheBytes: .max)
    let restored = try LanguageModelSession(model: model, restoring: path)
    _ = try await restored.respond(to: "And now?", options: few)
    let (started, starts) = AsyncStream<Void>.makeStream()
    let other = Task { [many] in try await model.complete("Once", many) { _ in starts.yield() } }
    for await _ in started { break }
    #expect(truncate(path, 4096) == 0)
    await #expect(throws: InferenceError.fileLost(path: path)) {
      try await restored.respond(to: "Go on.", options: few)
    }
    #expect(try await other.value.tokens == expected.tokens)
    let again = try LanguageModelSession(model: model, instructions: persona)
    #expect(try await again.respond(to: "Hello!", options: few).tokens == first.tokens)
  }
}
