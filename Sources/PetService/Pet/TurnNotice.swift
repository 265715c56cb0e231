import PetEngine

/// What a person should be told beside a reply; in JSON one line of text, as in "shortened: 4000 characters of the message were read".
package enum TurnNotice: Codable, Sendable, Equatable {
  case shortened(characters: Int)
  case notKept(String)
  case reminder(ReplyForm)

  init(_ notice: CompanionAnswer.Notice) {
    switch notice {
    case .shortened(let characters): self = .shortened(characters: characters)
    case .notKept(let reason): self = .notKept(reason)
    case .reminder(let reply): self = .reminder(ReplyForm(reply))
    }
  }

  private var text: String {
    switch self {
    case .shortened(let characters): "shortened: \(characters) characters of the message were read"
    case .notKept(let reason): "not kept: \(reason)"
    case .reminder(let reply): "reminder: \(reply.text)"
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(text)
  }

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    let text = try value.decode(String.self)
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    let rest = parts.count > 1 ? parts[1] : ""
    switch parts.first {
    case "shortened": self = .shortened(characters: Int(rest.prefix { $0.isNumber }) ?? 0)
    case "not kept": self = .notKept(rest)
    case "reminder": self = .reminder(ReplyForm(Reply(text: rest)))
    default: throw DecodingError.dataCorruptedError(in: value, debugDescription: "no notice that is known")
    }
  }
}
