// SPDX-License-Identifier: Apache-2.0
/// What a person said in a turn that came to its end. Only such turns are learned from: a fragment of a message or of a
/// reply that was stopped is no memory.
package struct CompletedTurn: Sendable, Equatable {
  package let said: String
  package let conversation: String
  /// Counted from 1 in its conversation.
  package let number: Int
  /// In seconds since 1970.
  package let time: Int64
  /// Where the person is.
  package let today: CivilDay

  /// Nil where the turn did not finish: the message was cut off, or the reply was cancelled.
  package init?(
    said: String, finished: Bool, conversation: String, number: Int, time: Int64, today: CivilDay
  ) {
    guard finished else { return nil }
    self.init(said: said, conversation: conversation, number: number, time: time, today: today)
  }

  init(said: String, conversation: String, number: Int, time: Int64, today: CivilDay) {
    self.said = said
    self.conversation = conversation
    self.number = number
    self.time = time
    self.today = today
  }
}
