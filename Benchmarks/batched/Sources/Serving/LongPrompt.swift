// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetLanguage

/// Chats that are written while a long prompt comes and is read.
struct LongPrompt {
  struct Report: Encodable {
    let chats: Int
    let promptTokens: Int
    let timeToFirstToken: Double
    /// Times between pieces of the chats' replies: before the prompt came, until its first token, and after.
    let before: Gaps?
    let during: Gaps?
    let after: Gaps?
    /// P95 while the prompt is read, over P95 before.
    let ratio: Double?
    /// P95 while the prompt is read, over the mean of before and after: the chats' own contexts grow meanwhile.
    let ratioToNeighbours: Double?

    enum CodingKeys: String, CodingKey {
      case chats, before, during, after
      case promptTokens = "prompt_tokens"
      case timeToFirstToken = "ttft_ms"
      case ratio = "p95_ratio"
      case ratioToNeighbours = "p95_ratio_to_neighbours"
    }
  }

  /// Pieces of each chat in the window before the prompt, and at least in that after it.
  private static let window = 100
  private static let warmUp = 10

  private let model: LanguageModel
  private let chats: [Chat]
  private let prompt: String

  init(_ model: LanguageModel, chats: Int, promptTokens: Int) throws {
    self.model = model
    var options = GenerationOptions(temperature: 0.8, maximumTokens: model.contextLength, seed: 7)
    options.stopsAtEnd = false
    // Guesses come in bunches, and replies that run in circles reach the end of their context by them.
    options.speculates = false
    self.chats = try (0..<max(1, chats)).map { try Chat(model, "Tell me long story number \($0).", options) }
    prompt = try Self.text(of: promptTokens, for: model)
  }

  func measure() async throws -> Report {
    let writing = chats.map { chat in Task { await chat.run() } }
    defer { for task in writing { task.cancel() } }
    try await wait(for: Self.warmUp, from: .now)
    let start = ContinuousClock.now
    try await wait(for: Self.window, from: start)
    let session = try LanguageModelSession(model: model)
    let asked = ContinuousClock.now
    let result = try await session.respond(to: prompt, options: .greedy(maximumTokens: 1))
    let answered = asked + result.timings.timeToFirstToken
    try await wait(for: Self.window, from: answered)
    let end = ContinuousClock.now
    for task in writing { task.cancel() }
    let times = chats.map(\.arrivals)
    let (before, during) = (Gaps(times, endingIn: start..<asked), Gaps(times, endingIn: asked..<answered))
    let after = Gaps(times, endingIn: answered..<end)
    return Report(
      chats: chats.count, promptTokens: result.usage.promptTokens,
      timeToFirstToken: result.timings.timeToFirstToken.milliseconds, before: before, during: during, after: after,
      ratio: Self.ratio(during?.p95, to: [before?.p95]),
      ratioToNeighbours: Self.ratio(during?.p95, to: [before?.p95, after?.p95]))
  }

  /// Until every chat has `count` pieces since `start`.
  /// - Throws: `Chat.EndedEarly`.
  private func wait(for count: Int, from start: ContinuousClock.Instant) async throws {
    // Nothing of this is on the way of what is measured: it looks seldom.
    while chats.contains(where: { $0.arrivals.count { $0 >= start } < count }) {
      for chat in chats { try chat.checkUnderWay() }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func ratio(_ value: Double?, to others: [Double?]) -> Double? {
    let known = others.compactMap { $0 }
    guard let value, known.count == others.count, !known.isEmpty else { return nil }
    return (value / (known.reduce(0, +) / Double(known.count)) * 1000).rounded() / 1000
  }

  /// A text of about that many tokens.
  static func text(of count: Int, for model: LanguageModel) throws -> String {
    let sentences = [
      "The dog ran over the green hill and found a small red ball.",
      "It rained all day, so we read a book about the sea.",
      "My sister has two cats, and one of them likes to sleep in the sink.",
      "Tomorrow we will walk to the lake with a picnic.",
    ]
    var text = ""
    var index = 0
    while try model.tokenizer.encode(text, addingBoundaries: false).count < count {
      text += sentences[index % sentences.count] + " "
      index += 1
    }
    return text
  }
}
