/// How a pet feels, each from 0 to 100: 100 is starving, bursting with energy, joyful.
public struct PetState: Sendable, Equatable, Codable {
  public var hunger: Int { didSet { hunger = Self.bounded(hunger) } }
  public var energy: Int { didSet { energy = Self.bounded(energy) } }
  public var mood: Int { didSet { mood = Self.bounded(mood) } }

  /// Values outside 0...100 become the nearest of it. Unless told otherwise, a pet is fed, lively and happy.
  public init(hunger: Int = 30, energy: Int = 70, mood: Int = 70) {
    self.hunger = Self.bounded(hunger)
    self.energy = Self.bounded(energy)
    self.mood = Self.bounded(mood)
  }

  private static func bounded(_ value: Int) -> Int { min(max(value, 0), 100) }
}
