// SPDX-License-Identifier: Apache-2.0
/// The body of `POST /pet/completions`: what `pet complete` can be told.
package struct TextRequest: Encodable, Sendable {
  package var prompt: String
  package var maxTokens: Int?
  package var temperature: Float?
  package var topK: Int?
  package var topP: Float?
  package var minP: Float?
  package var repetitionPenalty: Float?
  package var seed: UInt64?
  package var stop: [String]?
  /// A JSON schema, as its text.
  package var schema: String?
  /// In llama.cpp's GBNF.
  package var grammar: String?
  /// Whether the prompt is a message that is answered, in the model's chat template.
  package var isChat: Bool?
  /// Whether the text is given as it was drawn, with the marks of emotion and actions.
  package var isRaw: Bool?

  package enum CodingKeys: String, CodingKey {
    case prompt, temperature, seed, stop, schema, grammar
    case isChat = "chat"
    case isRaw = "raw"
    case maxTokens = "max_tokens"
    case topK = "top_k"
    case topP = "top_p"
    case minP = "min_p"
    case repetitionPenalty = "repetition_penalty"
  }

  package init(prompt: String) { self.prompt = prompt }
}
