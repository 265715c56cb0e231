// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetRuntime

extension LivingPet.Settings {
  /// Called between the steps of a turn: what one step has read of the program and its models, and the memory that it is done with,
  /// need not lie beside those of the next one. Pages come again from the system's cache when they are touched.
  func letGoOfMemory() {
    guard savesMemory else { return }
    ReplyBank.letGoBuiltIn()
    MappedPages.letGoBuiltInModels()
    MappedPages.letGoProgram()
    HeapMemory.giveBack()
  }
}
