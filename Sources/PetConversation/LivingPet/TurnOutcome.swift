// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage

/// What came of a turn.
struct TurnOutcome: Sendable {
  var answer: CompanionAnswer
  /// False where the message was cut or the reply stopped: nothing is learned from it.
  var isWhole = true
  /// Of the bank.
  var exchange: Int?
  var isReflection = false
  var pastime: PastimeChange?
  /// Why the model's own words were not said, or not all of them.
  var refused: ReplyCheck.Reason?
  /// What is answered to the same request from now on.
  var kept: (answer: Prediction, key: PredictionKey)?

  init(_ answer: CompanionAnswer) { self.answer = answer }

  init(_ words: WrittenReply, _ generation: GenerationResult) {
    answer = CompanionAnswer(reply: words.reply, rung: words.rung, generation: generation)
    (exchange, isReflection, pastime) = (words.exchange, words.isReflection, words.pastime)
  }
}
