// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What requests for completions have in common.
struct SamplingFields: Decodable, Sendable {
  let temperature: Float?
  let topP: Float?
  let minP: Float?
  let topK: Int?
  let repetitionPenalty: Float?
  let frequencyPenalty: Float?
  let presencePenalty: Float?
  /// What is added to the logits of tokens, by their numbers.
  let logitBias: [Int32: Float]
  let seed: Int64?
  let maxTokens: Int?
  let maxCompletionTokens: Int?
  let stop: StopField?
  let isStreaming: Bool?
  let streamOptions: StreamOptions?
  /// Replies to the same request.
  let choiceCount: Int

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
    case frequencyPenalty = "frequency_penalty"
    case presencePenalty = "presence_penalty"
    case logitBias = "logit_bias"
  }

  /// Of one request.
  private static let mostChoices = 8

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    temperature = try values.number(.temperature, 0...2)
    topP = try values.number(.topP, 0...1)
    minP = try values.number(.minP, 0...1)
    topK = try values.integer(.topK, 0...1_000_000)
    repetitionPenalty = try values.number(.repetitionPenalty, 0.5...2)
    frequencyPenalty = try values.number(.frequencyPenalty, -2...2)
    presencePenalty = try values.number(.presencePenalty, -2...2)
    logitBias = try Self.biases(values)
    seed = try values.integer(.seed, Int64.min ... .max)
    maxCompletionTokens = try values.integer(.maxCompletionTokens, 1...1_000_000)
    // The older name of the same.
    maxTokens = maxCompletionTokens == nil ? try values.integer(.maxTokens, 1...1_000_000) : nil
    stop = try values.decodeIfPresent(StopField.self, forKey: .stop)
    isStreaming = try values.decodeIfPresent(Bool.self, forKey: .isStreaming)
    // Of a reply that comes whole they say nothing.
    streamOptions =
      isStreaming == true ? try values.decodeIfPresent(StreamOptions.self, forKey: .streamOptions) : nil
    choiceCount = try values.integer(.count, 1...Self.mostChoices) ?? 1
    let stops = stop?.texts ?? []
    guard stops.count <= 4, stops.allSatisfy({ (1...256).contains($0.utf8.count) }) else {
      throw ServiceError.invalid("stop", "stop must be up to four texts of up to 256 bytes")
    }
  }

  /// Those that were given and do nothing where words are written in the model's place.
  var setAside: [String] {
    [
      ("max_tokens", maxTokens != nil), ("max_completion_tokens", maxCompletionTokens != nil), ("stop", stop != nil),
      ("temperature", temperature != nil), ("top_p", topP != nil), ("min_p", minP != nil), ("top_k", topK != nil),
      ("repetition_penalty", repetitionPenalty != nil), ("frequency_penalty", frequencyPenalty != nil),
      ("presence_penalty", presencePenalty != nil), ("logit_bias", !logitBias.isEmpty), ("seed", seed != nil),
    ].compactMap { $0.1 ? $0.0 : nil }
  }

  /// Tokens that may be named at once.
  private static let mostBiases = 4096

  /// - Throws: ``ServiceError``.
  private static func biases(_ values: KeyedDecodingContainer<CodingKeys>) throws -> [Int32: Float] {
    guard let named = try values.decodeIfPresent([String: Double].self, forKey: .logitBias) else { return [:] }
    var biases: [Int32: Float] = [:]
    for (name, bias) in named {
      guard let token = Int32(name), token >= 0, (-100...100).contains(bias), named.count <= mostBiases else {
        throw ServiceError.invalid(
          "logit_bias", "logit_bias must give numbers from -100 to 100 to up to \(mostBiases) tokens, by their numbers")
      }
      biases[token] = Float(bias)
    }
    return biases
  }

  /// - Parameter usual: most tokens where none are named.
  /// - Throws: `SamplingError`; ``ServiceError`` for tokens that the model does not have.
  func options(for model: LanguageModel, usual: Int = 512) throws -> GenerationOptions {
    let most = maxCompletionTokens ?? maxTokens ?? usual
    if let unknown = logitBias.keys.filter({ $0 >= model.configuration.vocabularySize }).min() {
      throw ServiceError.invalid(
        "logit_bias", "token \(unknown) is none of the model's \(model.configuration.vocabularySize)")
    }
    let sampling = try Sampler.Options(
      temperature: temperature ?? model.suitableTemperature, topK: topK ?? 0, topP: topP ?? 1, minP: minP ?? 0,
      repetitionPenalty: repetitionPenalty ?? 1, frequencyPenalty: frequencyPenalty ?? 0,
      presencePenalty: presencePenalty ?? 0, logitBias: logitBias,
      seed: seed.map { UInt64(bitPattern: $0) } ?? .random(in: .min ... .max))
    var options = try GenerationOptions(
      sampling: sampling, maximumTokens: min(most, model.contextLength), stopStrings: stop?.texts ?? [])
    options.stopsAtLoop = false
    return options
  }
}
