// SPDX-License-Identifier: Apache-2.0
/// What a person can do for a pet.
public enum CareAction: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  case feed, play, rest, pet, clean

  /// How much it gives to each value, the first time, when all is over.
  package var gives: [PetValue: Double] {
    switch self {
    case .feed: [.hunger: -30, .mood: 6, .health: 2, .affection: 1]
    case .play: [.mood: 16, .energy: -12, .hunger: 4, .affection: 2]
    case .rest: [.energy: 6, .mood: 2]
    case .pet: [.mood: 8, .affection: 2]
    case .clean: [.health: 8, .mood: 4, .affection: 1]
    }
  }

  /// Half of what it gives comes at once, the other half evenly over these seconds; affection comes at once.
  package var lasts: Int64 {
    switch self {
    case .feed: Moment.hour
    case .play, .clean: Moment.hour / 2
    case .rest: 2 * Moment.hour
    case .pet: Moment.hour / 4
    }
  }

  /// How fast a pet forgets that it just had this.
  package var wearsOff: HalfLife {
    switch self {
    case .feed, .play: HalfLife(hours: 1)
    case .rest: HalfLife(hours: 2)
    case .pet: HalfLife(minutes: 10)
    case .clean: HalfLife(hours: 12)
    }
  }
}
