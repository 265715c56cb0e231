// SPDX-License-Identifier: Apache-2.0
/// When a pet last spoke first, and whether anybody answered. Times are seconds since 1970, nil for what never was.
package struct InitiativeRecord: Sendable, Equatable, Codable {
  /// What its person last wrote, or did for it.
  package private(set) var lastMessage: Int64?
  /// The pet's last message of its own.
  package private(set) var lastInitiative: Int64?
  /// Messages of its own since it was last spoken to.
  package private(set) var unanswered = 0

  package init() {}

  /// Its person wrote, or did something for it.
  package mutating func hear(at now: Int64) { (lastMessage, unanswered) = (now, 0) }

  /// It spoke first.
  package mutating func speak(at now: Int64) {
    (lastInitiative, unanswered) = (now, min(max(unanswered, 0), Int.max - 1) + 1)
  }
}
