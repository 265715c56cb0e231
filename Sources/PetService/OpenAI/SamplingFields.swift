import PetEngine

/// What requests for completions have in common.
struct SamplingFields: Decodable, Sendable {
  let temperature: Float?
  let topP: Float?
  let minP: Float?
  let topK: Int?
  let repetitionPenalty: Float?
  let seed: Int64?
  let maxTokens: Int?
  let maxCompletionTokens: Int?
  let stop: StopField?
  let isStreaming: Bool?
  let streamOptions: StreamOptions?

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

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    temperature = try values.number(.temperature, 0...2)
    topP = try values.number(.topP, 0...1)
    minP = try values.number(.minP, 0...1)
    topK = try values.integer(.topK, 0...1_000_000)
    repetitionPenalty = try values.number(.repetitionPenalty, 0.5...2)
    seed = try values.integer(.seed, Int64.min ... .max)
    maxTokens = try values.integer(.maxTokens, 1...1_000_000)
    maxCompletionTokens = try values.integer(.maxCompletionTokens, 1...1_000_000)
    stop = try values.decodeIfPresent(StopField.self, forKey: .stop)
    isStreaming = try values.decodeIfPresent(Bool.self, forKey: .isStreaming)
    streamOptions = try values.decodeIfPresent(StreamOptions.self, forKey: .streamOptions)
    _ = try values.integer(.count, 1...1) as Int?
    let stops = stop?.texts ?? []
    guard stops.count <= 4, stops.allSatisfy({ (1...256).contains($0.utf8.count) }) else {
      throw ServiceError.invalid("stop", "stop must be up to four texts of up to 256 bytes")
    }
  }

  /// - Parameter usual: most tokens where none are named.
  /// - Throws: `SamplingError`.
  func options(for model: LanguageModel, usual: Int = 512) throws -> GenerationOptions {
    let most = maxCompletionTokens ?? maxTokens ?? usual
    let sampling = try Sampler.Options(
      temperature: temperature ?? model.suitableTemperature, topK: topK ?? 0, topP: topP ?? 1, minP: minP ?? 0,
      repetitionPenalty: repetitionPenalty ?? 1, seed: seed.map { UInt64(bitPattern: $0) } ?? .random(in: .min ... .max)
    )
    var options = try GenerationOptions(
      sampling: sampling, maximumTokens: min(most, model.contextLength), stopStrings: stop?.texts ?? [])
    options.stopsAtLoop = false
    return options
  }
}
