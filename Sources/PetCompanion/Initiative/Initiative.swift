// SPDX-License-Identifier: Apache-2.0
/// What a pet does of its own accord.
package enum Initiative: Sendable, Equatable {
  /// Nothing, and there is no need to ask again before this time (seconds since 1970) unless something happens; nil:
  /// until something does.
  case nothing(until: Int64?)
  case welcomeBack(Absence)
  /// Something that its person told of has been meanwhile: "you had the dentist on Friday".
  case followUp(String)
  case birthday
  case need(PetNeed)
  /// It asks how its person is.
  case checkIn
}

/// For how long somebody was away.
package enum Absence: String, Sendable, CaseIterable, Codable {
  case hours, days, weeks

  package init(seconds: Int64) {
    self = seconds < Moment.day ? .hours : seconds < 7 * Moment.day ? .days : .weeks
  }
}

/// What a pet may ask for.
package enum PetNeed: String, Sendable, CaseIterable, Codable {
  case food, care, rest, company

  /// The most pressing; nil where it lacks nothing.
  package init?(_ state: PetState) {
    if state.health < 35 {
      self = .care
    } else if state.hunger >= 75 {
      self = .food
    } else if state.energy < 15 {
      self = .rest
    } else if state.mood < 30 {
      self = .company
    } else {
      return nil
    }
  }
}

extension Initiative {
  /// While its person writes, a pet does not interrupt: seconds since their last message.
  package static let courtesy: Int64 = 600

  /// Whether, and why, a pet speaks first.
  ///
  /// Who comes by themselves is welcomed at any hour. All else waits: for the answer to what it said already, for its cooldown,
  /// for the end of a conversation and of the quiet hours. Breaks are ``BreakReminder``'s.
  package static func decide(_ facts: InitiativeFacts, _ settings: InitiativeSettings = InitiativeSettings())
    -> Initiative
  {
    guard settings.isEnabled else { return .nothing(until: nil) }
    if facts.isArriving, let absence = facts.since(facts.lastSeen), absence >= settings.welcomeAfter {
      return .welcomeBack(Absence(seconds: absence))
    }
    guard facts.unanswered < settings.mostUnanswered else { return .nothing(until: nil) }

    let need = PetNeed(facts.state)
    // Whom it never met it does not ask how they are.
    guard need != nil || facts.lastMessage != nil || facts.lastSeen != nil else { return .nothing(until: nil) }
    let silence = need == nil ? settings.checkInAfter : courtesy
    let waits = [
      facts.since(facts.lastInitiative).map { Moment.seconds(from: $0, to: settings.cooldown) },
      facts.since(facts.lastMessage ?? facts.lastSeen).map { Moment.seconds(from: $0, to: silence) },
    ].compactMap { $0 }
    let free = Moment.after(facts.now.seconds, max(0, waits.max() ?? 0))
    let due = settings.quietHours.over(from: Moment(seconds: free, offset: Int(facts.now.offset)))
    guard due <= facts.now.seconds else { return .nothing(until: due) }
    return need.map { .need($0) } ?? .checkIn
  }
}
