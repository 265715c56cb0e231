// SPDX-License-Identifier: Apache-2.0
extension PetState {
  /// What shows in its face while nothing is said.
  public var look: Emotion {
    if health < 35 { return .sad }
    if hunger >= 75 { return .hungry }
    if energy < 25 { return .sleepy }
    return mood < 20 ? .sad : mood < 40 ? .grumpy : mood < 60 ? .content : mood < 85 ? .happy : .playful
  }
}
