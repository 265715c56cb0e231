import PetEngine

/// What requests about pets are answered with.
struct ReplyForm: Encodable {
  let text: String
  let emotion: String?
  let actions: [String]

  init(_ reply: Reply) {
    text = reply.text
    emotion = reply.emotion?.rawValue
    actions = reply.actions.map(\.rawValue)
  }
}

struct ListForm<Item: Encodable>: Encodable { let data: [Item] }

struct SessionForm: Encodable {
  let id: String
  let pet: String
  /// That it goes on from.
  let turns: Int
  let greeting: [ReplyForm]
}

struct AnswerForm: Encodable {
  let reply: ReplyForm
  /// Who found the words: model, bank, cache or rule.
  let source: String
  let notices: [String]
  let usage: CompletionForm.Usage
  let timings: Timings
  let state: PetState

  struct Timings: Encodable {
    /// In milliseconds.
    let timeToFirstToken: Double
    /// Tokens per second.
    let prefill: Double
    let decode: Double

    enum CodingKeys: String, CodingKey {
      case timeToFirstToken = "ttft_ms"
      case prefill = "prefill_tps"
      case decode = "decode_tps"
    }

    init(_ timings: GenerationResult.Timings) {
      timeToFirstToken = timings.timeToFirstToken / .milliseconds(1)
      prefill = timings.prefillTokensPerSecond
      decode = timings.decodeTokensPerSecond
    }
  }
}

struct CareForm: Encodable {
  let reply: ReplyForm
  let isAccepted: Bool
  let state: PetState

  enum CodingKeys: String, CodingKey {
    case reply, state
    case isAccepted = "accepted"
  }
}

struct FactForm: Encodable {
  let id: Int64
  let kind: String
  let text: String
  let value: String
  let confidence: Double
  /// In seconds since 1970.
  let created: Int64

  init(_ fact: Fact) {
    (id, kind, text, value) = (fact.id, fact.kind.rawValue, fact.text, fact.value)
    (confidence, created) = (fact.confidence, fact.created)
  }
}
