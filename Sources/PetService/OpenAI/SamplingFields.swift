import PetEngine

/// What requests for completions have in common.
struct SamplingFields: Decodable, Sendable {
  let temperature: Float?
  let topP: Float?
  let minP: Float?
  let topK: Int?
  let repetitionPenalty: Float?
  let seed: UInt64?
  let maxTokens: Int?
  let maxCompletionTokens: Int?
  let stop: StopField?
  let isStreaming: Bool?
  let streamOptions: StreamOptions?
  let count: Int?

  struct StreamOptions: Decodable, Sendable {
    let includesUsage: Bool?

    enum CodingKeys: String, CodingKey { case includesUsage = "include_usage" }
  }

  /// One text or several.
  struct StopField: Decodable, Sendable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      texts = try (try? value.decode(String.self)).map { [$0] } ?? value.decode([String].self)
    }
  }

  enum CodingKeys: String, CodingKey {
    case temperature, seed, stop
    case topP = "top_p"
    case minP = "min_p"
    case topK = "top_k"
    case repetitionPenalty = "repetition_penalty"
    case maxTokens = "max_tokens"
    case maxCompletionTokens = "max_completion_tokens"
    case isStreaming = "stream"
    case streamOptions = "stream_options"
    case count = "n"
  }

  /// - Parameter usual: most tokens where none are named.
  /// - Throws: ``ServiceError``, `SamplingError`.
  func options(for model: LanguageModel, usual: Int = 512) throws -> GenerationOptions {
    guard count ?? 1 == 1 else { throw ServiceError.invalid("n", "one choice at a time") }
    let most = maxCompletionTokens ?? maxTokens ?? usual
    guard most >= 1 else { throw ServiceError.invalid("max_tokens", "max_tokens must be at least 1") }
    if let temperature, !(0...2).contains(temperature) {
      throw ServiceError.invalid("temperature", "temperature must be from 0 to 2")
    }
    if let topP, !(0...1).contains(topP) { throw ServiceError.invalid("top_p", "top_p must be from 0 to 1") }
    let stops = stop?.texts ?? []
    guard stops.count <= 4, stops.allSatisfy({ (1...256).contains($0.utf8.count) }) else {
      throw ServiceError.invalid("stop", "stop must be up to four texts of up to 256 bytes")
    }
    let sampling = try Sampler.Options(
      temperature: temperature ?? model.suitableTemperature, topK: topK ?? 0, topP: topP ?? 1, minP: minP ?? 0,
      repetitionPenalty: repetitionPenalty ?? 1, seed: seed ?? .random(in: .min ... .max))
    var options = try GenerationOptions(
      sampling: sampling, maximumTokens: min(most, model.contextLength), stopStrings: stops)
    options.stopsAtLoop = false
    return options
  }
}
