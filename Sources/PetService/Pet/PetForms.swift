import PetEngine

/// What requests about pets are answered with.
package struct ReplyForm: Codable, Sendable {
  package let text: String
  package let emotion: String?
  package let actions: [String]

  init(_ reply: Reply) {
    text = reply.text
    emotion = reply.emotion?.rawValue
    actions = reply.actions.map(\.rawValue)
  }
}

package struct ListForm<Item: Codable & Sendable>: Codable, Sendable { package let data: [Item] }

package struct SessionForm: Codable, Sendable {
  package let id: String
  package let pet: String
  /// That it goes on from.
  package let turns: Int
  package let greeting: [ReplyForm]
  /// What was wrong with the pet's files and was kept aside.
  package let damage: [String]
}

/// A turn, and how the pet then is.
package struct AnswerForm: Codable, Sendable {
  package var turn: TurnReport
  package let state: PetState

  private enum CodingKeys: CodingKey { case state }

  init(_ turn: TurnReport, _ state: PetState) {
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
}

package struct FactForm: Codable, Sendable {
  package let id: Int64
  package let kind: String
  package let text: String
  package let value: String
  package let confidence: Double
  /// In seconds since 1970.
  package let created: Int64

  init(_ fact: Fact) {
    (id, kind, text, value) = (fact.id, fact.kind.rawValue, fact.text, fact.value)
    (confidence, created) = (fact.confidence, fact.created)
  }
}
