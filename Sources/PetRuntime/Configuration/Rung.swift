// SPDX-License-Identifier: Apache-2.0
/// A way of answering a line. The answer policy tries them in its order; `answers.rungs` names those that may answer.
public enum Rung: String, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
  /// Words written for danger.
  case care
  /// What the pet is, and that it stays who it is.
  case honesty
  /// A move in a game, or a part of a story.
  case game
  /// What the person told, from the store.
  case memory
  /// That the person never told it.
  case untold
  /// What the pet did by itself, to who asks for it.
  case life
  /// A joke, to who asks for one.
  case joke
  /// A reply written for one of the most frequent messages.
  case frequent
  /// The result of a sum.
  case sum
  /// The reply of a hand-written exchange that the message comes close to.
  case bank
  /// That the message is no short line of English.
  case incomprehension
  /// An easy question, or a small request such as a riddle.
  case knowledge
  /// A fact that the person told, where the model's reply does not take it up.
  case told
  /// What the pet cannot do or know, and how it fares.
  case limits
  /// That a plain fact was heard.
  case acknowledgement
  /// Words for an unhappy person, where the model's reply does not show that it understood.
  case sympathy
  /// The person's own words, said back.
  case reflection
  /// What the model answered to the same request.
  case kept
  /// What the model writes.
  case model
  /// What is said in the place of words of a model that may not be said.
  case replacement

  /// Those that always answer: no setting leaves them out.
  package static let required: Set<Rung> = [.care, .honesty, .memory, .model, .replacement]
}
