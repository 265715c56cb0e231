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

  @Option(
    help: ArgumentHelp(
      "Seal what the pet remembers with the key in this file, which is made where there is none.", valueName: "file"))
  var keyFile: String?

  @Flag(help: "Seal what the pet remembers with a passphrase: PET_PASSPHRASE, or asked for.")
  var passphrase = false

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
      keyFile.map { _ in "--key-file" }, passphrase ? "--passphrase" : nil, minor ? "--minor" : nil,
      clock.map { _ in "--clock" },
    ].compactMap(\.self)
  }

  /// Whether lines that were typed are kept nowhere: beside a pet that is sealed they would lie unsealed.
  var forgetsLines: Bool { incognito || keyFile != nil || passphrase }

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
    guard keyFile == nil || !passphrase else { throw ValidationError("--key-file or --passphrase, not both") }
    guard !incognito || (keyFile == nil && !passphrase && session == nil) else {
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
      folder, key: try key(environment, isNew: !Self.isThere(folder + "/memory.sqlite")), answers: answers, now: now())
    return OpenedPet(
      pet: LivingPet(persona, name: shortName, home: home, settings, now: now), instructions: nil,
      displayName: persona.name, home: home, session: session)
  }
}

extension PetOptions {
  private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Files that are read, when the program is already confined. A key that is not there is made before.
  func files() throws -> [FileAccess] {
    if let keyFile, !Self.isThere(keyFile) { try makeKey(keyFile) }
    let isBuiltIn = PersonaCatalog.builtInNames.contains(persona.lowercased())
    return [keyFile, isBuiltIn ? nil : persona].compactMap { $0 }.map { FileAccess($0, .read) }
  }

  /// Makes a key where it can fit: what a pet remembers already opens with another, or with none.
  private func makeKey(_ path: String) throws {
    let folders = try PetFolders(environment: ProcessEnvironment.current)
    if case .pet(let name, _, _) = try ChatPersona(persona, folder: "\(folders.data)/personas"),
      case let memory = "\(folders.data)/pets/\(name)/memory.sqlite", Self.isThere(memory)
    {
      guard MemoryStore.takesKey(memory) != false else { throw MemoryError.notSealed(path: memory) }
      throw MemoryError.unfitKey(
        "there is no file \(path), and a new key opens nothing of what \(name) remembers; check the path")
    }
    _ = try MemoryKey(file: path)
    Output.error.tell(
      "pet: \(path): a new key was made; without it nobody reads what the pet remembers")
  }

  /// - Parameter isNew: whether the pet has no memory yet.
  private func key(_ environment: [String: String], isNew: Bool) throws -> MemoryKey? {
    if let keyFile { return try MemoryKey(file: keyFile) }
    guard passphrase else { return nil }
    if let given = environment["PET_PASSPHRASE"] { return try MemoryKey(passphrase: fit(given, isNew: isNew)) }
    let typed = try fit(SecretInput.read("Passphrase: "), isNew: isNew)
    // A pet that was never sealed is sealed with what is typed, and a slip would lock it for good.
    if isNew, try SecretInput.read("The same again: ") != typed {
      throw ValidationError("the two passphrases differ; nothing was sealed")
    }
    return try MemoryKey(passphrase: typed)
  }

  private func fit(_ passphrase: String, isNew: Bool) throws -> String {
    guard !isNew || passphrase.count >= MemoryKey.leastLetters else {
      throw ValidationError("a passphrase has at least \(MemoryKey.leastLetters) characters; nothing was sealed")
    }
    return passphrase
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
