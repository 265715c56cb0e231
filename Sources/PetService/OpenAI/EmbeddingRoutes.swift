// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import NIOHTTP1
import PetAPI
import PetEngine

/// `POST /v1/embeddings`: https://platform.openai.com/docs/api-reference/embeddings
struct EmbeddingRoutes: Sendable {
  let models: ServedModels

  /// In one request.
  private static let mostTexts = 256

  private struct Request: Decodable {
    /// One text or several.
    struct Input: Decodable {
      let texts: [String]

      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard !value.decodeNil() else {
          throw DecodingError.valueNotFound(
            String.self, .init(codingPath: decoder.codingPath, debugDescription: "null"))
        }
        if let text = try? value.decode(String.self) {
          texts = [text]
        } else if let list = try? value.decode([String].self) {
          texts = list
        } else {
          throw ServiceError.invalid("input", "input must be a text or a list of texts; tokens are not understood")
        }
      }
    }

    enum Encoding: String, Decodable { case float, base64 }

    let model: String?
    let input: Input
    let encoding: Encoding?
    let dimensions: Int?

    enum CodingKeys: String, CodingKey {
      case model, input, dimensions
      case encoding = "encoding_format"
    }
  }

  private struct Form: Encodable {
    struct Item: Encodable {
      enum Vector: Encodable {
        case numbers([Float])
        case base64(String)

        func encode(to encoder: any Encoder) throws {
          var value = encoder.singleValueContainer()
          switch self {
          case .numbers(let numbers): try value.encode(numbers)
          case .base64(let text): try value.encode(text)
          }
        }
      }

      let object = "embedding"
      let index: Int
      let embedding: Vector
    }

    struct Usage: Encodable {
      let prompt: Int

      enum CodingKeys: String, CodingKey {
        case prompt = "prompt_tokens"
        case total = "total_tokens"
      }

      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(prompt, forKey: .prompt)
        try values.encode(prompt, forKey: .total)
      }
    }

    let object = "list"
    let data: [Item]
    let model: String
    let usage: Usage
    /// Nil where there is nothing to tell.
    let notes: CompletionForm.Notes?

    enum CodingKeys: String, CodingKey {
      case object, data, model, usage
      case notes = "pet"
    }
  }

  func add(to router: inout Router) {
    router.on(.POST, "/v1/embeddings") { request, _ in
      let body = try JSON.read(Request.self, request.body)
      let wanted = body.value
      let texts = wanted.input.texts
      guard (1...Self.mostTexts).contains(texts.count), !texts.contains("") else {
        throw ServiceError.invalid("input", "input must be 1 to \(Self.mostTexts) texts, none of them empty")
      }
      let lazy = try await models.find(wanted.model)
      // Before it is loaded, and when it was: it may have changed meanwhile.
      try check(await models.serving.identity, wanted.model)
      let (vectors, tokens, name) = try await lazy.use { model in
        let identity = models.identity(of: model)
        try check(identity, wanted.model)
        let width = model.configuration.width
        guard wanted.dimensions ?? width == width else {
          throw ServiceError.invalid(
            "dimensions", "the model's embeddings have \(width) numbers; no other width can be had")
        }
        do {
          let tokens = try texts.reduce(0) { $0 + (try model.tokenCount(of: $1)) }
          return (try await model.embeddings(of: texts), tokens, identity.name)
        } catch let error as InferenceError {
          guard case .contextFull = error else { throw error }
          throw ServiceError(.badRequest, "\(error)", parameter: "input", code: "context_length_exceeded")
        }
      }
      let items = vectors.enumerated().map { index, vector in
        Form.Item(
          index: index, embedding: wanted.encoding == .base64 ? .base64(Self.base64(vector)) : .numbers(vector))
      }
      let notes = CompletionForm.Notes(ignored: body.unreadFields)
      return JSON.response(
        Form(data: items, model: name, usage: .init(prompt: tokens), notes: notes.isEmpty ? nil : notes))
    }
  }

  /// Vectors of another model mean nothing beside those that a client has.
  private func check(_ serving: ModelIdentity, _ wanted: String?) throws(ServiceError) {
    let meant = wanted.flatMap { $0 == "default" ? nil : $0 } ?? models.name
    guard serving.name != meant else { return }
    throw ServiceError(
      .serviceUnavailable,
      "\(serving.name) stands in for \(meant), and its embeddings are others; ask again when /health says ready",
      parameter: "model", code: "model_degraded", retryAfter: 60)
  }

  /// Numbers of 32 bits, the lowest byte first.
  private static func base64(_ vector: [Float]) -> String {
    var bytes = Data(capacity: vector.count * 4)
    for number in vector {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes.base64EncodedString()
  }
}
