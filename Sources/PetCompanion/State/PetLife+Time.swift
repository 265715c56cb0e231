// SPDX-License-Identifier: Apache-2.0
extension PetLife {
  /// Lets time pass until `now`.
  ///
  /// However a span is cut, the end is the same. A clock that was set back takes nothing away: life goes on from what
  /// it shows now. One that runs ahead cannot do more than ``patience`` does. Complexity: O(days that count), some ten
  /// steps each.
  /// - Parameter drift: the temperament's.
  @discardableResult
  package mutating func advance(to now: Moment, drift: PetDrift = .ordinary) -> ClockReading {
    let reading = ClockReading(from: seconds, to: now.seconds)
    var secondOfDay = Moment.secondOfDay(seconds, offset: now.offset)
    seconds = now.seconds
    guard case .passed(let passed) = reading else { return reading }
    let counted = min(passed, Self.patience - sinceContact)
    var left = counted
    while left > 0 {
      let pace = PetPace(self, isNight: NightHours.contains(secondOfDay), drift: drift)
      let step = min(left, pace.holds(self, secondOfDay: secondOfDay))
      pass(step, pace)
      left -= step
      secondOfDay = (secondOfDay + step) % Moment.day
    }
    for (action, strength) in repetitions {
      let rest = strength * action.wearsOff.left(after: counted)
      repetitions[action] = rest < 0.01 ? nil : rest
    }
    return reading
  }

  private mutating func pass(_ step: Int64, _ pace: PetPace) {
    let hours = Double(step) / Double(Moment.hour)
    levels[.hunger] += pace.hunger * hours
    levels[.energy] += pace.energy * hours
    let health = levels[.health]
    // What is lower already stays there.
    levels[.health] = max(health + pace.health * hours, min(health, PetPace.lowestHealth))
    let mood = PetPace.moodFades.left(after: step, speed: pace.moodRate / PetPace.moodFades.perHour)
    levels[.mood] = pace.moodTarget + (levels[.mood] - pace.moodTarget) * mood
    if pace.affectionSpeed > 0, levels[.affection] > PetPace.lowestAffection {
      let kept = PetPace.affectionFades.left(after: step, speed: pace.affectionSpeed)
      levels[.affection] = PetPace.lowestAffection + (levels[.affection] - PetPace.lowestAffection) * kept
    }
    for index in effects.indices { effects[index].left -= step }
    effects.removeAll { $0.left <= 0 }
    restLeft = max(0, restLeft - step)
    sinceContact += step
    sinceNotice = min(sinceNotice + step, Self.patience)
  }

  /// Its person is there: says something, opens the window.
  package mutating func meet(at now: Moment, drift: PetDrift = .ordinary) {
    advance(to: now, drift: drift)
    sinceContact = 0
  }
}
