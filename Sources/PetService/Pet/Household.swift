import PetEngine

/// The pets that a daemon minds, and the conversations with them: opened when somebody comes, from the same folders as in `pet chat`.
package actor Household {
  /// A conversation is named by its pet and its own name, so that it is found again after a restart, and by another daemon.
  package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    let pet: String
    let name: String

    package var description: String { "\(pet).\(name)" }

    init(pet: String, name: String) {
      self.pet = pet
      self.name = name
    }

    /// Nil for what is no such name.
    init?(_ text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
      self.init(pet: parts[0], name: parts[1])
    }
  }

  struct Resident: Sendable {
    let pet: LivingPet
    let home: PetHome
  }

  struct Session: Sendable {
    let companion: LazyCompanion
    let saved: SavedConversation
  }

  private let folder: String
  private let model: LazyModel<LanguageModel>
  private let settings: LivingPet.Settings
  private var residents: [String: Resident] = [:]
  private var sessions: [SessionID: Session] = [:]
  /// Those used longest ago first.
  private var order: [SessionID] = []
  /// Conversations in memory; others wait in their files.
  private static let mostSessions = 64

  /// - Parameter folder: where pets live: PET_HOME/pets.
  package init(_ folder: String, model: LazyModel<LanguageModel>, _ settings: LivingPet.Settings = .init()) {
    self.folder = folder
    self.model = model
    self.settings = settings
  }

  /// One of the built-in pets, by its short name.
  /// - Throws: ``ServiceError``; `PetHomeError.inUse` where it is with its person in another program.
  func resident(_ name: String) throws -> Resident {
    if let known = residents[name] { return known }
    guard let persona = PersonaCatalog.builtIn(name) else {
      throw ServiceError(.notFound, "there is no pet of that name", parameter: "pet", code: "pet_not_found")
    }
    let home = try PetHome("\(folder)/\(name)")
    let resident = Resident(pet: LivingPet(persona, name: name, home: home, settings), home: home)
    residents[name] = resident
    return resident
  }

  /// The conversation of this name, as it was, or a new one.
  /// - Throws: as ``resident(_:)``; `PetHomeError.badName`, `PetHomeError.damaged`, `FileError`.
  func session(_ id: SessionID) throws -> Session {
    order.removeAll { $0 == id }
    order.append(id)
    if let known = sessions[id] { return known }
    let resident = try resident(id.pet)
    let saved = try SavedConversation(id.name, of: resident.home)
    let companion = LazyCompanion(model, pet: resident.pet, resuming: try saved.load()) { model in
      try GenerationOptions(
        sampling: .init(
          temperature: model.suitableTemperature, repetitionPenalty: model.suitableRepetitionPenalty,
          seed: .random(in: .min ... .max)),
        maximumTokens: 256, stopsAtLoop: true)
    }
    let session = Session(companion: companion, saved: saved)
    sessions[id] = session
    // Each was saved with its last turn.
    if order.count > Self.mostSessions { sessions[order.removeFirst()] = nil }
    return session
  }

  /// Erases all that a pet remembers, its conversations with it.
  func forgetEverything(_ name: String) async throws {
    let pet = try resident(name).pet
    for id in sessions.keys where id.pet == name { sessions[id] = nil }
    order.removeAll { $0.pet == name }
    try await pet.forgetEverything()
  }
}
