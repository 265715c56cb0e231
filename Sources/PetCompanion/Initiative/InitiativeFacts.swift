// SPDX-License-Identifier: Apache-2.0
/// What is to be known to decide whether a pet speaks first. Times are seconds since 1970, nil for what never was.
package struct InitiativeFacts: Sendable, Equatable {
  package var now: Moment
  /// What its person last wrote, or did for it.
  package var lastMessage: Int64?
  /// When its person was last there, before this time.
  package var lastSeen: Int64?
  /// Whether its person has just come, and nothing was said yet.
  package var isArriving: Bool
  /// The pet's last message of its own.
  package var lastInitiative: Int64?
  /// Messages of its own since it was last spoken to.
  package var unanswered: Int
  package var state: PetState

  package init(
    now: Moment, lastMessage: Int64? = nil, lastSeen: Int64? = nil, isArriving: Bool = false,
    lastInitiative: Int64? = nil, unanswered: Int = 0, state: PetState = PetState()
  ) {
    self.now = now
    self.lastMessage = lastMessage
    self.lastSeen = lastSeen
    self.isArriving = isArriving
    self.lastInitiative = lastInitiative
    self.unanswered = unanswered
    self.state = state
  }

  /// Seconds since a time. A time that is yet to come was told by a clock that has been set since, and says nothing; five
  /// minutes are within what clocks differ by.
  package func since(_ time: Int64?) -> Int64? {
    guard let time else { return nil }
    let passed = Moment.seconds(from: time, to: now.seconds)
    return passed < -300 ? nil : max(0, passed)
  }
}
