// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import PetCommandLine
import PetEngine
import PetFiles

/// With what a pet's memory is sealed, beside the key that it has anyway.
struct SealOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Seal what the pet remembers with the key in this file, which is made where there is none.", valueName: "file"))
  var keyFile: String?

  @Flag(help: "Seal what the pet remembers with a passphrase: PET_PASSPHRASE, or asked for.")
  var passphrase = false

  var isGiven: Bool { keyFile != nil || passphrase }

  func validate() throws {
    guard keyFile == nil || !passphrase else { throw ValidationError("--key-file or --passphrase, not both") }
  }

  /// - Parameter folder: of the pet.
  func key(_ environment: [String: String], folder: String) throws -> MemoryKey? {
    if let keyFile { return try MemoryKey(file: keyFile) }
    guard passphrase else { return nil }
    let isNew = !Self.isThere(folder + "/memory.sqlite")
    if let given = environment["PET_PASSPHRASE"] { return try MemoryKey(passphrase: fit(given, isNew: isNew)) }
    let typed = try fit(SecretInput.read("Passphrase: "), isNew: isNew)
    // A pet that was never sealed is sealed with what is typed, and a slip would lock it for good.
    if isNew, try SecretInput.read("The same again: ") != typed {
      throw ValidationError("the two passphrases differ; nothing was sealed")
    }
    return try MemoryKey(passphrase: typed)
  }

  /// Makes a key that is not there, where it can fit: what a pet remembers already opens with another, or with none.
  func makeKey(for persona: String) throws {
    guard let keyFile, !Self.isThere(keyFile) else { return }
    let folders = try PetFolders(environment: ProcessEnvironment.current)
    if case .pet(let name, _, _) = try ChatPersona(persona, folder: "\(folders.data)/personas"),
      case let memory = "\(folders.data)/pets/\(name)/memory.sqlite", Self.isThere(memory)
    {
      guard MemoryStore.takesKey(memory) != false else { throw MemoryError.notSealed(path: memory) }
      throw MemoryError.unfitKey(
        "there is no file \(keyFile), and a new key opens nothing of what \(name) remembers; check the path")
    }
    _ = try MemoryKey(file: keyFile)
    Output.error.tell("pet: \(keyFile): a new key was made; without it nobody reads what the pet remembers")
  }

  /// Also where nobody may look: to open it says why.
  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) }

  private func fit(_ passphrase: String, isNew: Bool) throws -> String {
    guard !isNew || passphrase.count >= MemoryKey.leastLetters else {
      throw ValidationError("a passphrase has at least \(MemoryKey.leastLetters) characters; nothing was sealed")
    }
    return passphrase
  }
}
