// SPDX-License-Identifier: Apache-2.0
/// What a pet's person moves in it by how they are, in points.
package struct PetInfluence: Sendable, Equatable {
  /// From -4 to 4.
  package let mood: Double
  /// From 0 to 1.
  package let affection: Double

  /// Values outside their range become the nearest of it; what is no number becomes 0.
  package init(mood: Double = 0, affection: Double = 0) {
    self.mood = mood.isNaN ? 0 : min(max(mood, -4), 4)
    self.affection = affection.isNaN ? 0 : min(max(affection, 0), 1)
  }
}

extension PetLife {
  /// How long one look at its person lasts, in seconds: a camera that looks thirty times a second moves a pet no more
  /// than one that looks now and then.
  package static let noticesEvery = Moment.hour / 4

  /// Lets `influence` move the pet, after the time until `now` has passed.
  /// - Returns: false where it did nothing: it was moved a moment ago, or there is nothing to be moved by.
  @discardableResult
  package mutating func notice(_ influence: PetInfluence, at now: Moment, drift: PetDrift = .ordinary) -> Bool {
    advance(to: now, drift: drift)
    guard influence != PetInfluence(), sinceNotice >= Self.noticesEvery else { return false }
    levels[.mood] += influence.mood
    levels[.affection] += influence.affection
    sinceNotice = 0
    return true
  }
}
