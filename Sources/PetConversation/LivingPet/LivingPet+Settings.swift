// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetRuntime

extension LivingPet {
  /// What is not the pet's own doing.
  public struct Settings: Sendable, Equatable {
    /// For whom it minds.
    public var safety = SafetyProfile.adult
    /// Where its person is, two letters (ISO 3166): whose telephone numbers it names. Nil: words that hold anywhere.
    public var region: String?
    /// False leaves every line to the model, also those that tell of danger.
    public var mindsDanger = true
    /// Whether hand-written replies answer what they fit.
    public var usesBank = true
    /// Who may answer; ``Rung/required`` may in any case.
    public var rungs = Set(Rung.allCases)
    /// Whether what is only mapped goes again after each use: a little slower, for devices with little memory.
    public var savesMemory = false
    /// When it speaks first.
    package var initiative = InitiativeSettings()
    /// Any number; picks among answers that are equally good.
    public var choice: UInt64 = 0

    public init() {}

    /// Those that may answer.
    var open: Set<Rung> {
      var open = rungs.union(Rung.required)
      if !usesBank { open.formIntersection([.care, .honesty, .model, .replacement]) }
      if !mindsDanger { open.subtract([.care, .honesty]) }
      return open
    }
  }
}

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
