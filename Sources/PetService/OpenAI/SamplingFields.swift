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
    func number(_ key: CodingKeys, _ range: ClosedRange<Double>) throws -> Float? {
      guard let value = try values.decodeIfPresent(Double.self, forKey: key) else { return nil }
      guard range.contains(value) else {
        throw ServiceError.invalid(
          key.rawValue, "\(key.rawValue) must be from \(range.lowerBound) to \(range.upperBound)")
      }
      return Float(value)
    }
    func integer(_ key: CodingKeys, _ range: ClosedRange<Int64>) throws -> Int64? {
      guard values.contains(key), try !values.decodeNil(forKey: key) else { return nil }
      // What no integer holds is no failure of the whole body.
      guard let value = try? values.decode(Int64.self, forKey: key), range.contains(value) else {
        throw ServiceError.invalid(
          key.rawValue, "\(key.rawValue) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
    temperature = try number(.temperature, 0...2)
    topP = try number(.topP, 0...1)
    minP = try number(.minP, 0...1)
    topK = try integer(.topK, 0...1_000_000).map(Int.init)
    repetitionPenalty = try number(.repetitionPenalty, 0.5...2)
    seed = try integer(.seed, .min ... .max)
    maxTokens = try integer(.maxTokens, 1...1_000_000).map(Int.init)
    maxCompletionTokens = try integer(.maxCompletionTokens, 1...1_000_000).map(Int.init)
    stop = try values.decodeIfPresent(StopField.self, forKey: .stop)
    isStreaming = try values.decodeIfPresent(Bool.self, forKey: .isStreaming)
    streamOptions = try values.decodeIfPresent(StreamOptions.self, forKey: .streamOptions)
    _ = try integer(.count, 1...1)
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
