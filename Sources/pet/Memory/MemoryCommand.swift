// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetEngine
import PetFiles

struct MemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract: "Take what a pet remembers elsewhere, and bring it back.",
    discussion: """
      The file is JSON: format, version and memories, each with kind, subject, topic, value, text, origin, confidence, importance, \
      created, last_used, expires (in seconds since 1970) and quiet. It is not sealed: whoever has it can read it. What was \
      corrected or forgotten is not in it.

      EXAMPLES
        pet memory export --output mochi.json
        pet memory import mochi.json --persona zest
      """,
    subcommands: [ExportCommand.self, ImportCommand.self])

  /// Whose memory it is.
  struct Owner: ParsableArguments {
    @Option(help: "Whose memory: as for `pet chat`.")
    var persona: String = PersonaCatalog.usualName

    @OptionGroup var seal: SealOptions

    func open(isNewAllowed: Bool) throws -> (pet: LivingPet, name: String) {
      let environment = ProcessEnvironment.current
      let folders = try PetFolders(environment: environment)
      guard
        case .pet(let name, let persona, let isBuiltIn) = try ChatPersona(persona, folder: "\(folders.data)/personas")
      else { throw MemoryError.noMemory }
      let folder = "\(folders.data)/pets/\(name)"
      guard isNewAllowed || SealOptions.isThere(folder + "/memory.sqlite") else {
        throw ValidationError("\(persona.name) remembers nothing yet: there is no \(folder)/memory.sqlite")
      }
      try seal.makeKey(for: self.persona)
      let home = try PetHome(folder, key: try seal.key(environment, folder: folder))
      for damage in home.damage { Output.error.tell("pet: \(damage.text)") }
      return (LivingPet(persona, name: isBuiltIn ? name : nil, home: home), persona.name)
    }
  }

  struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Write what a pet remembers as JSON.")

    @OptionGroup var owner: Owner

    @Option(
      help: ArgumentHelp("The file to write, which must not be there; without it, standard output.", valueName: "file"))
    var output: String?

    func run() async throws {
      let (pet, name) = try owner.open(isNewAllowed: false)
      let archive = try await pet.archive()
      let text = try archive.written()
      guard let output else { return Output.standard.write(text) }
      try OpenFile.create(output, text: text)
      Output.error.tell("memories of \(name): \(archive.memories.count), in \(output), which is not sealed")
    }
  }

  struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Remember what `pet memory export` wrote, beside what is known already.")

    @OptionGroup var owner: Owner

    @Argument(help: "The file.")
    var file: String

    func run() async throws {
      let archive: MemoryArchive
      do {
        archive = try MemoryArchive(bytes: InputFile.bytes(file, limit: MemoryArchive.mostBytes))
      } catch let error as MemoryArchiveError { throw InputError.notMemories(path: file, error) }
      let (pet, name) = try owner.open(isNewAllowed: true)
      let arrival = try await pet.take(archive)
      var text = "new memories of \(name): \(arrival.added.count)"
      if arrival.known > 0 { text += "; known already, or otherwise since: \(arrival.known)" }
      if arrival.refused > 0 {
        text += "; refused: \(arrival.refused) (of an unknown kind, too long, over, too many, a secret, or near danger)"
      }
      Output.standard.tell(text)
    }
  }
}
