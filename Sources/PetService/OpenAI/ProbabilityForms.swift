// SPDX-License-Identifier: Apache-2.0
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
  /// Whether marks among them are no part of the text.
  let hasMarks: Bool

  enum CodingKeys: CodingKey { case content }

  /// Without the token that ends the reply, which is not a part of it.
  init(_ result: GenerationResult, _ model: LanguageModel) {
    hasMarks = model.speaksPromptFormat
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
  /// In code points of the text, prompt included where it is told: where each token stands, or the mark of which it is a part stood.
  let offsets: [Int]

  enum CodingKeys: String, CodingKey {
    case tokens
    case logProbabilities = "token_logprobs"
    case likeliest = "top_logprobs"
    case offsets = "text_offset"
  }

  /// - Parameter start: where the first token stands, in code points.
  init(_ form: ProbabilityForm, from start: Int) {
    tokens = form.content.map(\.chosen.token)
    logProbabilities = form.content.map(\.chosen.logProbability)
    likeliest = form.content.map { token in
      Dictionary(token.likeliest.map { ($0.token, $0.logProbability) }) { max($0, $1) }
    }
    offsets = Self.offsets(form, from: start)
  }

  private static func offsets(_ form: ProbabilityForm, from start: Int) -> [Int] {
    var offsets: [Int] = []
    var filter = MarkFilter()
    // Code points of the text, those that may yet prove to be a mark's, and bytes of one that is not whole.
    var (shown, held, partial) = (start, 0, [UInt8]())
    for token in form.content {
      offsets.append(shown + held)
      partial += token.chosen.bytes
      guard partial.count >= 4 || String(validating: partial, as: UTF8.self) != nil else { continue }
      let piece = String(decoding: partial, as: UTF8.self)
      partial = []
      shown += (form.hasMarks ? filter.append(piece) : piece).unicodeScalars.count
      var rest = filter
      held = rest.flush().unicodeScalars.count
    }
    // A mark takes the white space before it along.
    for index in offsets.indices.dropLast().reversed() { offsets[index] = min(offsets[index], offsets[index + 1]) }
    return offsets
  }
}
