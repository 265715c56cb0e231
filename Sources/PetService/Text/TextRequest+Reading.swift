// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

extension TextRequest: Decodable {
  /// - Throws: ``ServiceError`` where a value is out of its range.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(prompt: try values.decode(String.self, forKey: .prompt))
    maxTokens = try values.integer(.maxTokens, 1...1_000_000)
    temperature = try values.number(.temperature, 0...10)
    topK = try values.integer(.topK, 0...10_000_000)
    topP = try values.number(.topP, 0...1)
    minP = try values.number(.minP, 0...1)
    repetitionPenalty = try values.number(.repetitionPenalty, 0.1...10)
    seed = try values.integer(.seed, 0 ... .max)
    stop = try values.decodeIfPresent([String].self, forKey: .stop)
    schema = try values.decodeIfPresent(String.self, forKey: .schema)
    grammar = try values.decodeIfPresent(String.self, forKey: .grammar)
    isChat = try values.decodeIfPresent(Bool.self, forKey: .isChat)
    isRaw = try values.decodeIfPresent(Bool.self, forKey: .isRaw)
  }
}

extension TextRequest {
  /// - Throws: ``ServiceError``, `SamplingError`, `GrammarError`.
  func options(for model: LanguageModel) throws -> GenerationOptions {
    let stops = stop ?? []
    guard stops.count <= 16, stops.allSatisfy({ (1...1024).contains($0.utf8.count) }) else {
      throw ServiceError.invalid("stop", "stop must be up to 16 texts of up to 1024 bytes")
    }
    guard schema == nil || grammar == nil else {
      throw ServiceError.invalid("grammar", "give a schema or a grammar, not both")
    }
    let sampling = try Sampler.Options(
      temperature: temperature ?? 0, topK: topK ?? 40, topP: topP ?? 0.95, minP: minP ?? 0.05,
      repetitionPenalty: repetitionPenalty ?? 1, seed: seed ?? .random(in: .min ... .max))
    var options = try GenerationOptions(
      sampling: sampling, maximumTokens: min(maxTokens ?? 128, model.contextLength), stopStrings: stops)
    if let schema {
      options.grammar = try ServiceError.naming("schema") { try model.markFreeGrammar(jsonSchema: schema) }
    }
    if let grammar {
      options.grammar = try ServiceError.naming("grammar") { try model.outputGrammar(try Grammar(gbnf: grammar)) }
    }
    return options
  }
}
