// SPDX-License-Identifier: Apache-2.0
/// How fast a temperament's values move by themselves, against those of an ordinary pet: 1 is as fast, 2 twice.
public struct PetDrift: Sendable, Equatable, Codable {
  public var hunger: Double { didSet { hunger = Self.bounded(hunger) } }
  public var energy: Double { didSet { energy = Self.bounded(energy) } }
  public var mood: Double { didSet { mood = Self.bounded(mood) } }
  public var affection: Double { didSet { affection = Self.bounded(affection) } }

  /// An ordinary pet.
  public static let ordinary = PetDrift()
  /// What a factor may be.
  public static let range = 0.25...4.0

  /// Factors outside ``range`` become the nearest of it; what is no number becomes 1.
  public init(hunger: Double = 1, energy: Double = 1, mood: Double = 1, affection: Double = 1) {
    self.hunger = Self.bounded(hunger)
    self.energy = Self.bounded(energy)
    self.mood = Self.bounded(mood)
    self.affection = Self.bounded(affection)
  }

  private static func bounded(_ factor: Double) -> Double {
    factor.isNaN ? 1 : min(max(factor, range.lowerBound), range.upperBound)
  }

  /// A factor that is missing is 1.
  public init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    func factor(_ key: CodingKeys) throws -> Double { try stored.decodeIfPresent(Double.self, forKey: key) ?? 1 }
    self.init(
      hunger: try factor(.hunger), energy: try factor(.energy), mood: try factor(.mood),
      affection: try factor(.affection))
  }
}
