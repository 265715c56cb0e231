// SPDX-License-Identifier: Apache-2.0
/// How a pet's values move as long as nothing changes: between two of the moments at which one of these numbers becomes
/// another.
///
/// Hunger, energy and health move in straight lines, mood and affection fade towards where they come to rest. Both
/// forms give the same end however often one stops on the way.
package struct PetPace {
  /// Each an hour.
  package let hunger: Double
  package let energy: Double
  package let health: Double
  /// Where mood comes to rest, and the share of the way it goes, an hour.
  package let moodTarget: Double
  package let moodRate: Double
  /// How fast affection fades; 0 where it does not.
  package let affectionSpeed: Double

  /// A pet stays awake for the person it talks with, this many seconds after the last word.
  package static let staysAwake = Moment.hour / 2
  /// After this time alone it is lonely.
  package static let lonely = Moment.day / 2
  /// After this time alone affection begins to fade.
  package static let missed = Moment.day
  /// At what time alone something changes.
  package static let contactMarks = [staysAwake, lonely, missed]

  package static let wellFed = 60.0
  package static let hungry = 70.0
  package static let starving = 85.0
  package static let tired = 25.0
  package static let unwell = 40.0
  /// Neglect takes health no lower, and time takes affection no lower: a pet never dies and never forgets.
  package static let lowestHealth = 25.0
  package static let lowestAffection = 20.0

  package static let moodFades = HalfLife(hours: 5)
  package static let affectionFades = HalfLife(hours: 10 * 24)

  package init(_ life: PetLife, isNight: Bool, drift: PetDrift) {
    func effect(_ value: PetValue) -> Double {
      life.effects.reduce(0) { $1.value == value ? $0 + $1.perHour : $0 }
    }
    let levels = life.levels
    let isAsleep = life.isAsleep(isNight: isNight)
    hunger = (isAsleep ? 1.5 : 4) * drift.hunger + effect(.hunger)
    // Who is kept awake at night tires twice as fast.
    energy = (isAsleep ? 10 : (isNight ? -8 : -4) * drift.energy) + effect(.energy)
    let healing = levels[.hunger] >= Self.starving ? -0.5 : levels[.hunger] < Self.wellFed ? 1.0 : 0
    health = healing + effect(.health)
    moodRate = Self.moodFades.perHour * drift.mood
    var rest = 65.0
    if levels[.hunger] >= Self.hungry { rest -= 25 }
    if levels[.energy] < Self.tired { rest -= 10 }
    if levels[.health] < Self.unwell { rest -= 15 }
    if life.sinceContact >= Self.lonely { rest -= 15 }
    moodTarget = rest + effect(.mood) / moodRate
    affectionSpeed = life.sinceContact >= Self.missed ? drift.affection : 0
  }

  /// The seconds for which this pace holds, at least 1.
  package func holds(_ life: PetLife, secondOfDay: Int64) -> Int64 {
    var shortest = NightHours.secondsToChange(secondOfDay)
    for effect in life.effects { shortest = min(shortest, effect.left) }
    if life.restLeft > 0 { shortest = min(shortest, life.restLeft) }
    for mark in Self.contactMarks where mark > life.sinceContact { shortest = min(shortest, mark - life.sinceContact) }
    for mark in [Self.wellFed, Self.hungry, Self.starving] {
      shortest = min(shortest, Self.seconds(from: life.levels[.hunger], to: mark, perHour: hunger))
    }
    shortest = min(shortest, Self.seconds(from: life.levels[.energy], to: Self.tired, perHour: energy))
    shortest = min(shortest, Self.seconds(from: life.levels[.health], to: Self.unwell, perHour: health))
    return max(1, shortest)
  }

  /// Whole seconds until a value has crossed `mark`: a mark counts as reached from `mark` on, and as left below it.
  private static func seconds(from value: Double, to mark: Double, perHour: Double) -> Int64 {
    guard perHour > 0 ? value < mark : value >= mark, abs(perHour) > 1e-6 else { return .max }
    return Int64(min((abs(mark - value) / abs(perHour) * 3600).rounded(.up), 1e9))
  }
}
