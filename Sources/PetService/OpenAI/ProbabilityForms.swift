import PetEngine

/// How likely the tokens of a reply were, as chat completions tell it.
struct ProbabilityForm: Encodable {
  struct Choice: Encodable {
    let token: String
    let logProbability: Float
    let bytes: [UInt8]

    enum CodingKeys: String, CodingKey {
      case token, bytes
      case logProbability = "logprob"
    }

    init(_ choice: TokenProbability.Choice, _ model: LanguageModel) {
      bytes = model.bytes(of: choice.token)
      // A part of a character is told in bytes alone.
      token = String(decoding: bytes, as: UTF8.self)
      logProbability = max(choice.logProbability, -9999)
    }
  }

  struct Token: Encodable {
    let chosen: Choice
    let likeliest: [Choice]

    enum CodingKeys: String, CodingKey { case likeliest = "top_logprobs" }

    func encode(to encoder: any Encoder) throws {
      try chosen.encode(to: encoder)
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(likeliest, forKey: .likeliest)
    }
  }

  let content: [Token]

  /// Without the token that ends the reply, which is not a part of it.
  init(_ result: GenerationResult, _ model: LanguageModel) {
    content = result.probabilities.filter { !model.isEnd($0.chosen.token) }.map { probability in
      Token(
        chosen: Choice(probability.chosen, model), likeliest: probability.likeliest.map { Choice($0, model) })
    }
  }
}

/// The same, as completions of texts tell it.
struct TextProbabilityForm: Encodable {
  let tokens: [String]
  let logProbabilities: [Float]
  let likeliest: [[String: Float]]
  /// In characters.
  let offsets: [Int]

  enum CodingKeys: String, CodingKey {
    case tokens
    case logProbabilities = "token_logprobs"
    case likeliest = "top_logprobs"
    case offsets = "text_offset"
  }

  /// - Parameter start: where the first token stands, in characters.
  init(_ form: ProbabilityForm, from start: Int) {
    tokens = form.content.map(\.chosen.token)
    logProbabilities = form.content.map(\.chosen.logProbability)
    likeliest = form.content.map { token in
      Dictionary(token.likeliest.map { ($0.token, $0.logProbability) }) { max($0, $1) }
    }
    var offsets: [Int] = []
    var offset = start
    for token in form.content {
      offsets.append(offset)
      offset += token.chosen.token.count
    }
    self.offsets = offsets
  }
}
