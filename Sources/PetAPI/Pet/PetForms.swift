// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What requests about pets are answered with.
package struct ReplyForm: Codable, Sendable, Equatable {
  package let text: String
  package let emotion: String?
  package let actions: [String]

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(text, forKey: .text)
    try values.encode(emotion, forKey: .emotion)
    try values.encode(actions, forKey: .actions)
  }

  package init(_ reply: Reply) {
    text = reply.text
    emotion = reply.emotion?.rawValue
    actions = reply.actions.map(\.rawValue)
  }

  package var reply: Reply {
    Reply(
      text: text, emotion: emotion.flatMap(Emotion.init(rawValue:)),
      actions: actions.compactMap(PetAction.init(rawValue:)),
      isWellFormed: true)
  }
}

package struct ListForm<Item: Codable & Sendable>: Codable, Sendable {
  package let data: [Item]

  package init(data: [Item]) { self.data = data }
}

package struct ExchangeForm: Codable, Sendable {
  package let user: String
  package let reply: ReplyForm

  package init(_ exchange: SessionState.Exchange) {
    user = exchange.user
    var reader = ReplyReader()
    _ = reader.append(exchange.reply)
    reply = ReplyForm(reader.finish())
  }
}

package struct SessionForm: Codable, Sendable {
  /// So many exchanges are told.
  private static let mostExchanges = 20

  package let id: String
  package let pet: String
  /// What people call it.
  package let petName: String
  /// That it goes on from.
  package let turns: Int
  /// The last of them, the oldest first.
  package let exchanges: [ExchangeForm]
  package let greeting: [ReplyForm]
  /// What was wrong with the pet's files, and where it is.
  package let damage: [PetHome.Damage]
  /// Null: none.
  @OrNull package var unkept: UnkeptForm?

  enum CodingKeys: String, CodingKey {
    case id, pet, turns, exchanges, greeting, damage, unkept
    case petName = "pet_name"
  }

  package init(
    id: String, pet: String, petName: String, state: SessionState?, greeting: [Reply], damage: [PetHome.Damage],
    unkept: UnkeptForm?
  ) {
    (self.id, self.pet, self.petName, self.damage) = (id, pet, petName, damage)
    turns = state?.turns ?? 0
    exchanges = state?.exchanges.suffix(Self.mostExchanges).map(ExchangeForm.init) ?? []
    self.greeting = greeting.map(ReplyForm.init)
    self.unkept = unkept
  }
}

/// Turns of a conversation whose words are kept nowhere: they told of danger, or stood beside such words. A petd that was started
/// since knows that there were so many, and nothing else of them.
package struct UnkeptForm: Codable, Sendable, Equatable {
  package let turns: Int
  /// When the last was, in seconds since 1970.
  package let last: Int64

  /// Nil where there are none.
  package init?(_ notes: SavedConversation.Notes) {
    guard let last = notes.lastUnkept else { return nil }
    (turns, self.last) = (notes.unkeptTurns, last)
  }
}

/// A turn, and how the pet then is.
package struct AnswerForm: Codable, Sendable {
  package var turn: TurnReport
  package let state: PetState

  private enum CodingKeys: CodingKey { case state }

  package init(_ turn: TurnReport, _ state: PetState) {
    self.turn = turn
    self.state = state
  }

  package init(from decoder: any Decoder) throws {
    turn = try TurnReport(from: decoder)
    state = try decoder.container(keyedBy: CodingKeys.self).decode(PetState.self, forKey: .state)
  }

  package func encode(to encoder: any Encoder) throws {
    try turn.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(state, forKey: .state)
  }
}

package struct CareForm: Codable, Sendable {
  package let reply: ReplyForm
  package let isAccepted: Bool
  package let state: PetState

  enum CodingKeys: String, CodingKey {
    case reply, state
    case isAccepted = "accepted"
  }

  package init(reply: ReplyForm, isAccepted: Bool, state: PetState) {
    (self.reply, self.isAccepted, self.state) = (reply, isAccepted, state)
  }
}

package struct FactForm: Codable, Sendable {
  package let id: Int64
  package let kind: String
  package let text: String
  package let value: String
  package let confidence: Double
  package let importance: Double
  /// In seconds since 1970.
  package let created: Int64
  /// Who made a fact of it: a rule, a model, or the person, who wrote it into the list.
  package let origin: String
  /// The person's line that told it, where that is kept.
  package let words: String?

  /// - Parameter words: as ``words``.
  package init(_ fact: Fact, words: String? = nil) {
    (id, kind, text, value) = (fact.id, fact.kind.rawValue, fact.text, fact.value)
    (confidence, importance, created) = (fact.confidence, fact.importance, fact.created)
    origin = fact.source.origin.rawValue
    self.words = fact.kind == .said ? fact.value : words
  }

  /// Each with the line that told it. O(facts).
  package static func all(_ facts: [Fact]) -> [FactForm] {
    let said = facts.filter { $0.kind == .said && $0.source.turn > 0 }
    let lines = Dictionary(said.map { ([$0.source.conversation, "\($0.source.turn)"], $0.value) }) { first, _ in first }
    return facts.map { FactForm($0, words: lines[[$0.source.conversation, "\($0.source.turn)"]]) }
  }
}
