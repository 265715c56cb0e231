// SPDX-License-Identifier: Apache-2.0
/// Whether a pet takes what it is offered.
package enum CarePolicy {
  /// How often in a row an action is still welcome.
  package static let mostInARow = 4.5

  /// Why not; nil: it takes it.
  package static func refusal(_ action: CareAction, _ life: PetLife, isNight: Bool) -> CareRefusal? {
    let levels = life.levels
    let lately = life.repetitions[action] ?? 0
    if life.effects.count + action.gives.count > PetLife.mostEffects { return .enough }
    switch action {
    case .feed:
      if levels[.hunger] < 15 { return .notHungry }
      // What is still being digested will fill it as well.
      let digesting = life.effects.reduce(0) { $1.value == .hunger ? $0 + $1.rest : $0 }
      return levels[.hunger] + digesting < 15 ? .digesting : nil
    case .play:
      if levels[.health] < 30 { return .unwell }
      if life.isResting { return .asleep }
      if levels[.energy] < 15 { return .tooTired }
      if levels[.hunger] >= 90 { return .tooHungry }
      return lately > mostInARow ? .enough : nil
    case .rest:
      if life.isResting { return .asleep }
      return levels[.energy] >= 90 && !isNight ? .notTired : nil
    case .pet: return lately > mostInARow ? .enough : nil
    case .clean: return lately > 0.5 ? .alreadyClean : nil
    }
  }

  /// The first time gives all, each next one less. Costs do not shrink: the tenth game tires as the first.
  package static func effects(_ action: CareAction, _ life: PetLife) -> CareEffects {
    let share = 1 / (1 + (life.repetitions[action] ?? 0))
    var now: [PetValue: Double] = [:]
    for (value, points) in action.gives {
      let isCost = value == .hunger ? points > 0 : points < 0
      // Food fills as much the second time; it is joy that wears off.
      let isFood = action == .feed && value == .hunger
      let given = isCost || isFood ? points : points * share
      // Trust does not drip, it comes at once; and the more there is, the slower it grows.
      now[value] = value == .affection ? given * (1 - life.levels[.affection] / 125) : given / 2
    }
    return CareEffects(now: now, later: now.filter { $0.key != .affection }, seconds: action.lasts)
  }

  /// How a pet looks: what it feels, and what it would do if its state allows.
  package static func look(_ action: CareAction, _ refusal: CareRefusal?) -> (emotion: Emotion, actions: [PetAction]) {
    switch refusal {
    case .notHungry, .digesting, .alreadyClean: (.content, [.tiltHead])
    case .tooTired: (.sleepy, [.yawn, .nuzzle])
    case .tooHungry: (.hungry, [.lookAround])
    case .unwell: (.sad, [.nuzzle])
    case .notTired: (.playful, [.spin, .lookAround])
    case .asleep: (.sleepy, [.sleep])
    case .enough: (.content, [.nuzzle])
    case nil:
      switch action {
      case .feed: (.happy, [.eat])
      case .play: (.playful, [.playBall, .laugh])
      case .rest: (.sleepy, [.yawn, .sleep])
      case .pet: (.loving, [.nuzzle])
      case .clean: (.proud, [.spin, .lookAround])
      }
    }
  }
}
