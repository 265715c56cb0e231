// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

extension SessionForm {
  init(_ id: SessionID, _ session: Session, greeting: [Reply] = []) {
    self.init(
      id: "\(id)", pet: id.pet, petName: session.pet.persona?.name ?? id.pet, state: session.state, greeting: greeting,
      damage: session.resident.home.damage, unkept: session.unkept)
  }
}
