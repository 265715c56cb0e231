// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetEngine
import PetFiles
import PetService

/// `petd token`: one more token for clients over TCP.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Makes a token for clients over TCP and prints it.",
    discussion: """
      It is a line of PET_HOME/petd.token, which petd reads when it starts. A token for one pet opens /pet/pets/NAME/... and \
      /pet/sessions/NAME.CONVERSATION, where PUT begins a conversation, and of the rest only /health.
      """)

  @Option(help: ArgumentHelp("The one pet that it opens; without it, all.", valueName: "name"))
  var pet: String?

  func validate() throws {
    guard pet.map(Household.isPet) ?? true else {
      let names = PersonaCatalog.builtInNames.joined(separator: ", ")
      throw ValidationError("--pet is one of \(names), or one of that kind in a home of its own, as in mochi-ada")
    }
  }

  func run() throws {
    let folders = try PetFolders(environment: ProcessEnvironment.current)
    try FolderTrust.check(folders.data)
    try TokenFile.add(to: folders.data + "/petd.token", pet: pet) {
      Output.standard.writeLine(String(decoding: $0.secret, as: UTF8.self))
    }
    Output.error.writeLine("(petd reads it when it starts)")
  }
}
