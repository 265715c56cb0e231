// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import PetCommandLine
import PetEngine
import PetText

/// Who answers, and what is kept of it.
struct PetOptions: ParsableArguments {
  @Option(
    help:
      "Who answers: \(PetOptions.names), a name from PET_HOME/personas, a character card (.json, .png), or a text file that says who the model is to be, of which nothing is remembered."
  )
  var persona: String = PersonaCatalog.usualName

  @Flag(help: "Keep nothing: the pet is as new, and forgets all when you leave.")
  var incognito = false

  @Option(help: "How the pet is, with --incognito: hunger=80,energy=20,mood=50.")
  var state: String?

  @Option(
    help: "What the pet knows, with --incognito; several with semicolons: \"user's name is Ada; user has a dog\".")
  var knows: String?

  @Flag(help: "Leave every line to the model, also those that tell of danger.")
  var modelOnly = false

  @Option(help: "Go on with the conversation of this name, and keep it.")
  var session: String?

  @Flag(help: "The pet greets you, and then never speaks first.")
  var noInitiative = false

  @OptionGroup var seal: SealOptions

  @Flag(help: "Mind a child or a teenager: earlier help, shorter talks, an end in the evening.")
  var minor = false

  @Option(help: ArgumentHelp("The time that the pet takes it to be, in seconds since 1970.", valueName: "seconds"))
  var clock: Int64?

  /// The options that were given, but for a built-in pet and the name of a conversation: what no petd knows.
  var given: [String] {
    let isBuiltIn = PersonaCatalog.builtInNames.contains(persona.lowercased())
    return [
      isBuiltIn ? nil : "--persona", incognito ? "--incognito" : nil, state.map { _ in "--state" },
      knows.map { _ in "--knows" }, modelOnly ? "--model-only" : nil, noInitiative ? "--no-initiative" : nil,
      seal.keyFile.map { _ in "--key-file" }, seal.passphrase ? "--passphrase" : nil, minor ? "--minor" : nil,
      clock.map { _ in "--clock" },
    ].compactMap(\.self)
  }

  /// Whether lines that were typed are kept nowhere: beside a pet that is sealed they would lie unsealed.
  var forgetsLines: Bool { incognito || seal.isGiven }

  /// The pets that are built in, for people to read.
  static var names: String { PersonaCatalog.builtInNames.joined(separator: ", ") }

  func validate() throws {
    _ = (try values(), try known())
    guard incognito || (state == nil && knows == nil) else {
      throw ValidationError("--state and --knows are for --incognito; a pet that is kept lives its own life")
    }
    if let session {
      do { try SavedConversation.check(session) } catch { throw ValidationError("--session: \(error)") }
    }
    guard !incognito || (!seal.isGiven && session == nil) else {
      throw ValidationError("--incognito keeps nothing: no --session, and nothing that could be sealed")
    }
  }

  private func values() throws -> PetState {
    var values = PetState()
    for part in (state ?? "").split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
      guard pair.count == 2, let number = Int(pair[1]), (0...100).contains(number) else {
        throw ValidationError(
          "--state: '\(part)' is none of hunger=N, energy=N, mood=N, affection=N, health=N, N from 0 to 100")
      }
      switch pair[0] {
      case "hunger": values.hunger = number
      case "energy": values.energy = number
      case "mood": values.mood = number
      case "affection": values.affection = number
      case "health": values.health = number
      default: throw ValidationError("--state: '\(pair[0])' is none of hunger, energy, mood, affection, health")
      }
    }
    return values
  }

  /// What `--knows` gives.
  private func known() throws -> [String] {
    guard let knows else { return [] }
    let texts = knows.split(separator: ";").map(\.singleSpaced).filter { !$0.isEmpty }
    let person = SecondPerson()
    if let text = texts.first(where: { !person.understands($0) }) {
      throw ValidationError(
        "--knows: '\(text)' is in no form that the pet can say back; write it as in \"user's name is Ada\" or "
          + "\"user has a dog\"")
    }
    return texts
  }

  /// - Parameters:
  ///   - choice: picks among answers that are equally good.
  ///   - savesMemory: for devices with little of it.
  ///   - rungs: who may answer.
  ///   - answers: which it keeps.
  func open(
    _ environment: [String: String], choice: UInt64, savesMemory: Bool, rungs: Set<Rung>, answers: AnswerKeeping
  ) throws -> OpenedPet {
    var settings = LivingPet.Settings()
    settings.savesMemory = savesMemory
    settings.mindsDanger = !modelOnly
    settings.usesBank = !modelOnly
    settings.rungs = rungs
    settings.choice = choice
    settings.initiative.isEnabled = !noInitiative
    settings.safety = minor ? .minor : .adult
    settings.region = CrisisResources.code(ofEnvironment: environment)
    let time = clock
    let now: @Sendable () -> Moment = { time.map { Moment(seconds: $0) } ?? .current() }

    let folders = try PetFolders(environment: environment)
    let who = try ChatPersona(persona, folder: "\(folders.data)/personas")
    let known = try self.known()
    guard case .pet(let name, let persona, let isBuiltIn) = who else {
      guard session == nil else { throw ValidationError("--session is for pets, not for a text as --persona") }
      let pet = LivingPet(nil, memories: known, settings, now: now)
      return OpenedPet(pet: pet, instructions: who.text, displayName: "pet", home: nil, given: known)
    }
    let shortName = isBuiltIn ? name : nil
    guard !incognito else {
      let pet = LivingPet(persona, name: shortName, state: try values(), memories: known, settings, now: now)
      return OpenedPet(pet: pet, instructions: nil, displayName: persona.name, home: nil, given: known)
    }
    let folder = "\(folders.data)/pets/\(name)"
    let home = try PetHome(
      folder, key: try seal.key(environment, folder: folder), answers: answers, now: now())
    return OpenedPet(
      pet: LivingPet(persona, name: shortName, home: home, settings, now: now), instructions: nil,
      displayName: persona.name, home: home, session: session)
  }
}

extension PetOptions {
  /// Files that are read, when the program is already confined. A key that is not there is made before.
  func files() throws -> [FileAccess] {
    try seal.makeKey(for: persona)
    let isBuiltIn = PersonaCatalog.builtInNames.contains(persona.lowercased())
    return [seal.keyFile, isBuiltIn ? nil : persona].compactMap { $0 }.map { FileAccess($0, .read) }
  }
}

/// A pet and how it came.
struct OpenedPet {
  let pet: LivingPet
  /// The system text of one without a persona.
  let instructions: String?
  let displayName: String
  /// Nil for one that is forgotten.
  let home: PetHome?
  /// The name under which the conversation is kept.
  var session: String?
  /// What it was told from the start.
  var given: [String] = []
}
