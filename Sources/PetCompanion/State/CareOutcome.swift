// SPDX-License-Identifier: Apache-2.0
/// What comes of an action.
public enum CareOutcome: Sendable, Equatable {
  case accepted(CareEffects)
  case declined(CareRefusal)
}

/// What an accepted action gives; no value leaves 0...100 by it.
public struct CareEffects: Sendable, Equatable {
  /// At once, in points.
  public let now: [PetValue: Double]
  /// In the ``seconds`` that follow, in points.
  public let later: [PetValue: Double]
  public let seconds: Int64

  package init(now: [PetValue: Double], later: [PetValue: Double], seconds: Int64) {
    self.now = now
    self.later = later
    self.seconds = seconds
  }
}

/// Why a pet would rather not.
public enum CareRefusal: String, Sendable, CaseIterable, Codable {
  case notHungry = "not_hungry"
  /// What it ate lately will fill it, and has not yet.
  case digesting
  case tooTired = "too_tired"
  case tooHungry = "too_hungry"
  case unwell
  case notTired = "not_tired"
  case asleep
  /// It had this often enough, for now.
  case enough
  case alreadyClean = "already_clean"
}

/// What a pet did when it was cared for, and how it looks.
public struct CareResult: Sendable, Equatable {
  public let action: CareAction
  public let outcome: CareOutcome
  public let emotion: Emotion
  /// At most two, all of them allowed in the state that follows.
  public let actions: [PetAction]

  package init(action: CareAction, outcome: CareOutcome, emotion: Emotion, actions: [PetAction]) {
    self.action = action
    self.outcome = outcome
    self.emotion = emotion
    self.actions = actions
  }
}
