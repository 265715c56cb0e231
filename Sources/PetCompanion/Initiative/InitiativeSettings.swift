// SPDX-License-Identifier: Apache-2.0
/// How far a pet may go in speaking first.
package struct InitiativeSettings: Sendable, Equatable {
  /// The off switch.
  package var isEnabled: Bool
  /// Hours in which it keeps silent, if its person does not come by themselves.
  package var quietHours: QuietHours
  /// Seconds from one message of its own to the next.
  package var cooldown: Int64
  /// After so many messages without an answer it waits to be spoken to.
  package var mostUnanswered: Int
  /// Seconds of silence after which it asks how things are.
  package var checkInAfter: Int64
  /// Seconds away after which its person is welcomed back.
  package var welcomeAfter: Int64

  /// Spans below a minute become a minute, counts below 0 become 0.
  package init(
    isEnabled: Bool = true, quietHours: QuietHours = .night, cooldown: Int64 = 2 * 3600, mostUnanswered: Int = 2,
    checkInAfter: Int64 = 8 * 3600, welcomeAfter: Int64 = 4 * 3600
  ) {
    self.isEnabled = isEnabled
    self.quietHours = quietHours
    self.cooldown = max(60, cooldown)
    self.mostUnanswered = max(0, mostUnanswered)
    self.checkInAfter = max(60, checkInAfter)
    self.welcomeAfter = max(60, welcomeAfter)
  }
}
