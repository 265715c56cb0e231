// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory

/// What belongs to one turn, from its message to its end: other conversations may be under way with the same pet.
struct PetTurn: Sendable {
  let message: String
  let conversation: ConversationKey
  let danger: DangerReading
  /// When it was heard.
  let moment: Moment
  let number: Int
  /// ``LivingPet/timesForgotten`` when the message came.
  let timesForgotten: Int
  /// Picks among words that are equally good.
  let choice: UInt64
  /// What becomes of the message, as far as danger goes.
  let stay: StayDecision
  /// What is minded behind it.
  let watched: DangerKind?
  /// How many replies, the last ones, were said to what was no danger.
  var takenBack = 0
  /// What the model was told of its person for it.
  var told: [Fact] = []
  /// Whether it asks to have something forgotten, or not spoken of: nothing is learned from it.
  var isWish = false
  /// Whether it was asked whether everything is to be forgotten, and speaks of something else.
  var keptEverything = false
  /// What its person had it forget.
  var forgotten: CompanionAnswer.Forgotten?
  /// What could not be looked up.
  var failure: (any Error)?
  /// How closely danger was minded before the message, behind which lines, and after it.
  var calmed: (before: LivingPet.Minding, after: SafetyState)?
}

/// What a pet makes of a message.
enum PetDecision: Sendable {
  case say(WrittenReply)
  /// Nil: the model has been told all it needs.
  case ask(Brief?)
}
