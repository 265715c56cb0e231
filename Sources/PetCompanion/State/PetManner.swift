// SPDX-License-Identifier: Apache-2.0
/// What a pet's state makes of its replies. A pure function of the state, the hour and what it is doing.
package struct PetManner: Sendable, Equatable {
  /// The state to describe to a model: at night a pet is sleepy, however lively it would be.
  package let state: PetState
  package let isNight: Bool
  package let isDigesting: Bool

  package init(_ state: PetState, isNight: Bool = false, isDigesting: Bool = false) {
    var state = state
    if isNight { state.energy = min(state.energy, Self.nightEnergy) }
    self.state = state
    self.isNight = isNight
    self.isDigesting = isDigesting
  }

  private static let nightEnergy = 35

  /// What it may do, never empty: who starves, is exhausted or ill does not leap about; who is awake does not sleep.
  package var allowedActions: Set<PetAction> { Set(PetAction.allCases.filter(allows)) }

  package func allows(_ action: PetAction) -> Bool {
    switch action {
    case .jump, .spin, .dance: state.energy >= 20 && state.hunger <= 85 && state.health >= 30
    case .playBall, .fetch: state.energy >= 15 && state.hunger <= 90 && state.health >= 30
    case .sing: state.energy >= 10 && state.health >= 20 && state.mood >= 20
    case .laugh, .purr, .wagTail: state.mood >= 20
    case .cry: state.mood < 40
    case .eat: isDigesting || state.hunger >= 40
    case .yawn: state.energy < 60
    case .sleep: state.energy < 45
    case .cuddle, .nuzzle, .wave, .hide, .lookAround, .tiltHead, .blush: true
    }
  }

  /// By what to multiply the sampling temperature, from 0.8 to 1.1: who is tired and sad says plain things, who is
  /// lively and happy is full of ideas. About 1 for a new pet.
  package var temperatureFactor: Float { 0.8 + 0.3 * Float(state.energy + state.mood) / 200 }
}

extension PetLife {
  /// How it behaves at `now`, which should be when the state was last true.
  package func manner(at now: Moment) -> PetManner {
    PetManner(state, isNight: now.isNight, isDigesting: isDigesting)
  }
}
