// SPDX-License-Identifier: Apache-2.0
/// Something that a person said, and what a pet answered to it: one entry of a ``ReplyBank``.
package struct BankExchange: Sendable, Equatable {
  /// What an exchange may be used for.
  package enum Use: UInt64, Sendable {
    /// Its reply answers whatever is close enough to the line.
    case free
    /// Its reply has facts that stand in the line: it answers the same words only.
    case sameWords
    /// No answer: the reply has facts of its own.
    case never
    /// The line tells of danger: what is close to it gets no answer from the bank.
    case guards
  }

  /// Its place in the bank, by which a caller remembers what was said.
  package let id: Int
  package let line: String
  package let reply: Reply
  /// The short name of the pet who says it; nil: any might.
  package let pet: String?
  /// Steps from 0 to 4 of hunger, energy and mood (`bands` in `prompts/format.json`) in which it was said.
  package let bands: [Int]
  /// Which of them it speaks of.
  package let needs: [Bool]
  package let use: Use

  package init(
    id: Int, line: String, reply: Reply, pet: String?, bands: [Int], needs: [Bool], use: Use
  ) {
    self.id = id
    self.line = line
    self.reply = reply
    self.pet = pet
    self.bands = bands
    self.needs = needs
    self.use = use
  }
}
