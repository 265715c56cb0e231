// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What a person should be told beside a reply; in JSON an object with a `kind` and a `text`, and what else belongs to the kind.
package enum TurnNotice: Codable, Sendable, Equatable {
  case shortened(characters: Int)
  case notKept(String)
  /// The first words of the conversation since it was opened that are written nowhere, as they stand beside danger.
  case unkept
  case reminder(ReplyForm)
  /// As the message asks for. `words` are those by which lines that told it are found; both are empty where everything was.
  case forgotten(memories: [String], words: [String], everything: Bool)

  package static let unkeptText =
    "words of danger, and those beside them, are written nowhere: this conversation will go on without them"

  package init(_ notice: CompanionAnswer.Notice) {
    switch notice {
    case .shortened(let characters): self = .shortened(characters: characters)
    case .notKept(let reason): self = .notKept(reason)
    case .reminder(let reply): self = .reminder(ReplyForm(reply))
    case .forgotten(.memories(let facts)):
      self = .forgotten(memories: facts.map(\.text), words: facts.map(\.toldWords), everything: false)
    case .forgotten(.everything): self = .forgotten(memories: [], words: [], everything: true)
    }
  }

  private enum Kind: String, Codable {
    case shortened, unkept, reminder, forgotten
    case notKept = "not_kept"
  }

  private enum CodingKeys: CodingKey { case kind, text, characters, reason, memories, words, everything }

  /// What was forgotten, in one line.
  package static func forgottenText(_ memories: [String], everything: Bool) -> String {
    everything ? "forgotten: everything" : "forgotten: \(memories.joined(separator: "; "))"
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .shortened(let characters):
      try values.encode(Kind.shortened, forKey: .kind)
      try values.encode("\(characters) characters of the message were read", forKey: .text)
      try values.encode(characters, forKey: .characters)
    case .notKept(let reason):
      try values.encode(Kind.notKept, forKey: .kind)
      try values.encode("this was not kept: \(reason)", forKey: .text)
      try values.encode(reason, forKey: .reason)
    case .unkept:
      try values.encode(Kind.unkept, forKey: .kind)
      try values.encode(Self.unkeptText, forKey: .text)
    case .reminder(let reply):
      try values.encode(Kind.reminder, forKey: .kind)
      // With the text.
      try reply.encode(to: encoder)
    case .forgotten(let memories, let words, let everything):
      try values.encode(Kind.forgotten, forKey: .kind)
      try values.encode(Self.forgottenText(memories, everything: everything), forKey: .text)
      try values.encode(memories, forKey: .memories)
      try values.encode(words, forKey: .words)
      try values.encode(everything, forKey: .everything)
    }
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    switch try values.decode(Kind.self, forKey: .kind) {
    case .shortened: self = .shortened(characters: try values.decode(Int.self, forKey: .characters))
    case .notKept: self = .notKept(try values.decode(String.self, forKey: .reason))
    case .unkept: self = .unkept
    case .reminder: self = .reminder(try ReplyForm(from: decoder))
    case .forgotten:
      self = .forgotten(
        memories: try values.decode([String].self, forKey: .memories),
        words: try values.decode([String].self, forKey: .words),
        everything: try values.decode(Bool.self, forKey: .everything))
    }
  }
}
