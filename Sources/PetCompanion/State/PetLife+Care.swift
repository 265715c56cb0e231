// SPDX-License-Identifier: Apache-2.0
extension PetLife {
  /// Does something for the pet at `now`, after the time until then has passed. Its person is there from now on.
  /// - Parameter drift: the temperament's.
  /// - Returns: what came of it. A refusal changes nothing but that.
  @discardableResult
  package mutating func care(_ action: CareAction, at now: Moment, drift: PetDrift = .ordinary) -> CareResult {
    meet(at: now, drift: drift)
    let refusal = CarePolicy.refusal(action, self, isNight: now.isNight)
    let outcome: CareOutcome
    if let refusal {
      outcome = .declined(refusal)
    } else {
      let effects = CarePolicy.effects(action, self)
      apply(effects)
      // A nap lasts as long as what it gives. To be fed or played with ends it.
      switch action {
      case .rest: restLeft = effects.seconds
      case .feed, .play: restLeft = 0
      case .pet, .clean: break
      }
      repetitions[action] = min((repetitions[action] ?? 0) + 1, Self.mostRepetitions)
      outcome = .accepted(effects)
    }
    let look = CarePolicy.look(action, refusal)
    let allowed = manner(at: now).allowedActions
    return CareResult(
      action: action, outcome: outcome, emotion: look.emotion,
      actions: Array(look.actions.filter(allowed.contains).prefix(2)))
  }

  private mutating func apply(_ effects: CareEffects) {
    // In one order, whatever the order of a dictionary: sums of fractions depend on it.
    for value in PetValue.allCases {
      levels[value] += effects.now[value] ?? 0
      guard let later = effects.later[value] else { continue }
      let perHour = later * Double(Moment.hour) / Double(effects.seconds)
      self.effects.append(RunningEffect(value: value, perHour: perHour, left: effects.seconds))
    }
  }
}
