// SPDX-License-Identifier: Apache-2.0
/// How a pet feels, each from 0 to 100: 100 is starving, bursting with energy, joyful, devoted, in the best of health.
public struct PetState: Sendable, Equatable, Codable {
  public var hunger: Int { didSet { hunger = Self.bounded(hunger) } }
  public var energy: Int { didSet { energy = Self.bounded(energy) } }
  public var mood: Int { didSet { mood = Self.bounded(mood) } }
  public var affection: Int { didSet { affection = Self.bounded(affection) } }
  public var health: Int { didSet { health = Self.bounded(health) } }

  /// Values outside 0...100 become the nearest of it. Unless told otherwise, a pet is fed, lively, happy, trusting and well.
  public init(hunger: Int = 30, energy: Int = 70, mood: Int = 70, affection: Int = 50, health: Int = 90) {
    self.hunger = Self.bounded(hunger)
    self.energy = Self.bounded(energy)
    self.mood = Self.bounded(mood)
    self.affection = Self.bounded(affection)
    self.health = Self.bounded(health)
  }

  /// Values outside 0...100 become the nearest of it. Affection and health came later: where they are missing they are those
  /// of a new pet.
  /// - Throws: `DecodingError` where hunger, energy or mood is missing, or one of the five is no whole number.
  public init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    let new = PetState()
    self.init(
      hunger: try stored.decode(Int.self, forKey: .hunger), energy: try stored.decode(Int.self, forKey: .energy),
      mood: try stored.decode(Int.self, forKey: .mood),
      affection: try stored.decodeIfPresent(Int.self, forKey: .affection) ?? new.affection,
      health: try stored.decodeIfPresent(Int.self, forKey: .health) ?? new.health)
  }

  private static func bounded(_ value: Int) -> Int { min(max(value, 0), 100) }
}

extension PetState {
  /// As a small model is told it: one that reads "starving" speaks of nothing else. How it really fares is told by written words.
  package var moderate: PetState {
    var state = self
    // The third of five bands (`prompts/format.json`).
    (state.hunger, state.energy, state.mood) = (min(hunger, 60), max(energy, 41), max(mood, 41))
    return state
  }
}
