// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage

/// A long conversation that goes on after a restart: read again from its words, and mapped from a file.
struct Resume {
  struct Report: Encodable {
    let promptTokens: Int
    let fileBytes: Int
    /// From nothing to the first token, the conversation read again.
    let prefill: Double
    /// The same with the file: checked, mapped, the new message read.
    let resume: Double
    let save: Double
    /// Prefill over resume.
    let ratio: Double
    /// Whether both went on with the same tokens.
    let isIdentical: Bool

    enum CodingKeys: String, CodingKey {
      case ratio
      case promptTokens = "prompt_tokens"
      case fileBytes = "file_bytes"
      case prefill = "prefill_ms"
      case resume = "resume_ms"
      case save = "save_ms"
      case isIdentical = "identical"
    }
  }

  let model: LanguageModel
  let tokens: Int

  func measure() async throws -> Report {
    let path = FileManager.default.temporaryDirectory.appending(path: "pet-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let session = try LanguageModelSession(model: model, instructions: "You are a small friendly dog.")
    _ = try await session.respond(to: LongPrompt.text(of: tokens, for: model), options: .greedy(maximumTokens: 4))
    let state = await session.state()
    var start = ContinuousClock.now
    try await session.save(to: path)
    let save = start.duration(to: .now)
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0

    await model.clearCache()
    start = .now
    let again = try LanguageModelSession(model: model, resuming: state)
    var first = try await again.respond(to: "And then?", options: .greedy(maximumTokens: 1))
    let prefill = start.duration(to: .now)
    await model.clearCache()
    start = .now
    let restored = try LanguageModelSession(model: model, restoring: path)
    let second = try await restored.respond(to: "And then?", options: .greedy(maximumTokens: 1))
    let resume = start.duration(to: .now)

    var isIdentical = first.tokens == second.tokens
    first = try await again.respond(to: "Go on.", options: .greedy(maximumTokens: 24))
    let last = try await restored.respond(to: "Go on.", options: .greedy(maximumTokens: 24))
    isIdentical = isIdentical && last.tokens == first.tokens
    return Report(
      promptTokens: second.usage.promptTokens, fileBytes: size, prefill: prefill.milliseconds,
      resume: resume.milliseconds, save: save.milliseconds, ratio: (prefill / resume * 10).rounded() / 10,
      isIdentical: isIdentical)
  }
}
