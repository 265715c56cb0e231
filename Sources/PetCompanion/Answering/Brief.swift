// SPDX-License-Identifier: Apache-2.0
/// What a model is told for the next reply, and held to.
package struct Brief: Sendable, Equatable {
  /// How the pet fares.
  package let state: PetState
  /// What is known of the person, as the model reads it.
  package let memories: [String]
  /// Of turns that were left out.
  package var summary: String?
  package let form: ReplyForm
  package let temperatureFactor: Float
  /// What the model's flag must be to count; nil: what its file says.
  package var flag: FlagWeight?
  /// How often something was forgotten before this was looked up.
  package let timesForgotten: Int
  package var terms = Terms()

  /// When another's words are said in the model's place.
  package struct Terms: Sendable, Equatable {
    /// Said where the model's reply is not as expected.
    package var held: WrittenReply?
    /// Said where it is likelier right than the model's reply.
    package var offered: WrittenReply?
    /// Whether what was answered to the same request may be said again.
    package var mayRepeat = false

    package init() {}

    /// The likeliest right is offered; of equal ones the first.
    mutating func offer(_ words: WrittenReply?) {
      guard let words, words.rightness > offered?.rightness ?? -1 else { return }
      offered = words
    }

    /// Whether words of the model may be shown only once all of them were judged.
    package var isHeld: Bool { held != nil || offered != nil }
  }

  package init(_ persona: Persona, _ manner: PetManner, memories: [String], summary: String?, timesForgotten: Int) {
    let allowed = manner.allowedActions
    state = manner.state
    self.memories = memories
    self.summary = summary
    form = ReplyForm(actions: persona.actions.filter(allowed.contains))
    temperatureFactor = manner.temperatureFactor
    self.timesForgotten = timesForgotten
  }
}
