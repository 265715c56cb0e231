// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import Testing

/// Greedy replies are what they are alone, with every cache off, in whatever way they come about.
@Suite("However a reply comes about, it is the same", .timeLimit(.minutes(10)))
struct DeterminismTests {
  private struct Conversation: Hashable {
    let instructions: String
    let lines: [String]
  }

  private static let conversations = (0..<12).map { number in
    // Some begin alike, and some lines say what was said before.
    Conversation(
      instructions: String(repeating: "You are kind. ", count: 1 + number / 4 * 3),
      lines: (0..<3).map { "Line \($0) of \(number % 6), " + String(repeating: "again ", count: (number + $0) % 5) })
  }

  private static func model(_ name: String, threads: Int, running: Int, cacheBytes: Int?) throws -> LanguageModel {
    var options = LanguageModel.LoadOptions(threadCount: threads, contextLength: 256)
    (options.concurrentReplies, options.cacheBytes) = (running, cacheBytes)
    return try LanguageModel(path: Models.fixture("models/\(name)/model.gguf").path, options)
  }

  private static func options(speculates: Bool) throws -> GenerationOptions {
    var options = GenerationOptions.greedy(maximumTokens: 10)
    (options.speculates, options.stopsAtEnd) = (speculates, false)
    return options
  }

  @Test("1,000 random schedules", arguments: ["phi3-mha", "llama-gqa"])
  func schedules(_ name: String) async throws {
    let plain = try Self.model(name, threads: 1, running: 1, cacheBytes: 0)
    var expected: [Conversation: [[Int32]]] = [:]
    for conversation in Self.conversations {
      let session = try LanguageModelSession(model: plain, instructions: conversation.instructions)
      for line in conversation.lines {
        let reply = try await session.respond(to: line, options: Self.options(speculates: false))
        expected[conversation, default: []].append(reply.tokens)
      }
    }
    let models = try [(1, 16, nil), (2, 16, nil), (2, 3, 0), (1, 2, 1 << 16), (2, 16, 1 << 30)].map {
      try Self.model(name, threads: $0.0, running: $0.1, cacheBytes: $0.2)
    }
    for seed in 0..<UInt64(500) {
      var random = RandomSource(seed: seed)
      let model = models[Int.random(in: 0..<models.count, using: &random)]
      let chosen = Self.conversations.shuffled(using: &random).prefix(Int.random(in: 1...7, using: &random))
      let wrong = try await withThrowingTaskGroup(of: Conversation?.self) { group in
        for conversation in chosen {
          let seed = UInt64.random(in: .min ... .max, using: &random)
          let replies = expected[conversation] ?? []
          group.addTask { try await Self.replies(conversation, model, seed) == replies ? nil : conversation }
        }
        return try await group.reduce(into: []) { if let wrong = $1 { $0.append(wrong) } }
      }
      #expect(wrong.isEmpty, "seed \(seed)")
      #expect(await model.worker.load == (0, 0))
    }
  }

  /// A conversation that is forked, saved, taken up from its words and tokens, or goes on as it is between its turns.
  private static func replies(
    _ conversation: Conversation, _ model: LanguageModel, _ seed: UInt64
  ) async throws -> [[Int32]] {
    var random = RandomSource(seed: seed)
    var session = try LanguageModelSession(model: model, instructions: conversation.instructions)
    if Bool.random(using: &random) { try await session.prewarm() }
    var replies: [[Int32]] = []
    for line in conversation.lines {
      let options = try Self.options(speculates: Bool.random(using: &random))
      replies.append(try await session.respond(to: line, options: options).tokens)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: session = await session.fork()
      case 1:
        let other = await session.fork()
        _ = try await other.respond(to: "Something else", options: options)
      case 2: session = try LanguageModelSession(model: model, resuming: await session.state())
      case 3:
        let path = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await session.save(to: path)
        session = try LanguageModelSession(model: model, restoring: path)
      case 4: await model.clearCache()
      default: break
      }
    }
    return replies
  }
}
