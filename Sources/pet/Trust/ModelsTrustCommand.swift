// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetRuntime

struct ModelsTrustCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust", abstract: "Whose catalogs count: add, list and remove keys.",
    discussion: """
      The catalog of this program counts as the program does. Any other counts only with an Ed25519 signature by a key that you \
      added here. Compare the key's id with what its owner tells you.
      """,
    subcommands: [Add.self, List.self, Remove.self])

  /// A key as `--json` prints it.
  struct Report: Encodable {
    let id: String
    let comment: String

    init(_ key: CatalogKey) { (id, comment) = (key.id, key.comment) }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Trust a key.")

    @Argument(help: "The public key: a .pub file of `pet models keygen`.")
    var keyFile: String

    @Flag(help: "Print {\"id\", \"comment\"}.")
    var json = false

    func run() throws {
      let key = try TrustStore(folders: .current()).add(keyFile)
      if json { return try JSONOutput.write(Report(key)) }
      let whose = key.comment.isEmpty ? key.id : "\(key.id), \(key.comment)"
      Output.standard.tell("trusted from now on: \(whose); add its catalogs: pet models update FILE")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The keys that are trusted.")

    @Flag(help: "Print a list of {\"id\", \"comment\"}.")
    var json = false

    func run() throws {
      let keys = TrustStore(folders: try .current()).keys()
      if json { return try JSONOutput.write(keys.map(Report.init)) }
      guard !keys.isEmpty else {
        return Output.standard.writeLine("no key is trusted: only this program's own catalog counts")
      }
      var table = TextTable(["ID", "WHOSE"])
      for key in keys { table.add([key.id, key.comment]) }
      Output.standard.writeLine(table.text)
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Trust a key no longer.", discussion: "What it signed does not count from then on.")

    @Argument(help: "The key's id, or at least 4 digits of its beginning.")
    var id: String

    @Flag(help: "Print {\"id\", \"comment\"}.")
    var json = false

    func run() throws {
      let key = try TrustStore(folders: .current()).remove(id)
      if json { return try JSONOutput.write(Report(key)) }
      Output.standard.writeLine("trusted no longer: \(key.id)")
    }
  }
}
