// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage

/// Conversations with one persona: what the first of them read, the others need not read again where prefixes are shared.
struct SharedPersona {
  struct Report: Encodable {
    let sessions: Int
    let promptTokens: Int
    /// Of each session in the order in which they began, one after the other.
    let timesToFirstToken: [Double]
    /// Tokens of each prompt that were not computed again.
    let cachedTokens: [Int]
    let first: Double
    let medianOfOthers: Double?
    /// The median of as many forks of a session that has read the persona.
    let medianOfForks: Double?
    /// Keys and values of one session.
    let bytesOfOne: Int
    /// Keys and values of all sessions, what they share counted once.
    let cacheBytes: Int
    /// What the sessions added to the resident memory; nil where /proc is not there.
    let residentBytes: Int?

    enum CodingKeys: String, CodingKey {
      case sessions
      case promptTokens = "prompt_tokens"
      case timesToFirstToken = "ttft_ms"
      case cachedTokens = "cached_tokens"
      case first = "first_ms"
      case medianOfOthers = "median_of_others_ms"
      case medianOfForks = "median_of_forks_ms"
      case bytesOfOne = "kv_bytes_of_one"
      case cacheBytes = "kv_bytes"
      case residentBytes = "resident_bytes"
    }
  }

  private static let persona = """
    You are Biscuit, a small brown dog who lives with a family in a house by the sea. You love walks on the beach, digging \
    holes, old tennis balls and the smell of toast in the morning. You are a little afraid of thunder and of the vacuum \
    cleaner, and you sleep at the foot of the youngest child's bed. You speak in one or two short and warm sentences. You \
    never give advice about medicine, law or money; you say that a grown-up should be asked. When somebody is sad you listen \
    first and then offer to play. You remember what you were told and ask about it later. You do not pretend to be a person, \
    and when you are asked you say that you are a pet that lives in a computer. You like rhymes, bad jokes and long stories \
    about squirrels, and you would rather be outside.
    """

  private let model: LanguageModel
  private let count: Int

  init(_ model: LanguageModel, sessions: Int) {
    self.model = model
    count = max(1, min(sessions, 10_000))
  }

  func measure() async throws -> Report {
    // Once with another text: what the first pass of a process costs is none of this.
    _ = try await LanguageModelSession(model: model, instructions: "Warm up.").respond(
      to: "Hello!", options: .greedy(maximumTokens: 4))
    let resident = Self.residentBytes()
    var sessions: [LanguageModelSession] = []
    var results: [GenerationResult] = []
    for index in 0..<count {
      let session = try LanguageModelSession(model: model, instructions: Self.persona)
      results.append(try await session.respond(to: "Hello, I am friend \(index).", options: .greedy(maximumTokens: 2)))
      sessions.append(session)
    }
    let trunk = try LanguageModelSession(model: model, instructions: Self.persona)
    try await trunk.prewarm()
    var forks: [Double] = []
    for index in 0..<min(count, 30) {
      let fork = await trunk.fork()
      let result = try await fork.respond(to: "Hello, I am friend \(index) too.", options: .greedy(maximumTokens: 2))
      forks.append(result.timings.timeToFirstToken.milliseconds)
    }
    let times = results.map { $0.timings.timeToFirstToken.milliseconds }
    let others = times.dropFirst().sorted()
    return Report(
      sessions: count, promptTokens: results[0].usage.promptTokens, timesToFirstToken: times,
      cachedTokens: results.map(\.usage.cachedTokens), first: times[0],
      medianOfOthers: others.isEmpty ? nil : others[others.count / 2],
      medianOfForks: forks.sorted()[forks.count / 2],
      bytesOfOne: (results[0].usage.promptTokens + 31) / 32 * 32
        * KVCache(model.configuration, capacity: 1, precision: model.cachePrecision).bytesPerPosition,
      cacheBytes: withExtendedLifetime(sessions) { model.cacheByteCount },
      residentBytes: resident.flatMap { before in Self.residentBytes().map { $0 - before } })
  }

  private static func residentBytes() -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return status.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
  }
}
