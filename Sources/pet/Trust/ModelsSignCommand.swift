// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetRuntime

struct ModelsSignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Sign a catalog of your own, for others to add.",
    discussion: """
      The catalog is checked first. The signature is written beside it, as CATALOG.sig; give both to those who trust your key.

      EXAMPLES
        pet models keygen publisher.key --comment "Acme, models"
        pet models sign acme.json --key publisher.key
      """)

  @Argument(help: "The catalog.")
  var catalog: String

  @Option(help: "The private key that `pet models keygen` made.")
  var key: String

  @Flag(help: "Print {\"signature\"}.")
  var json = false

  func run() throws {
    let signature = try CatalogSigner.sign(catalog, key: key, builtIn: try Catalog.builtIn())
    if json { return try JSONOutput.write(["signature": signature]) }
    Output.standard.tell("signed: \(signature)")
  }
}

struct ModelsKeygenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen", abstract: "Make a key to sign catalogs with.",
    discussion: "FILE is for you alone; FILE.pub is what others add with `pet models trust add`.")

  @Argument(help: "The file to make.")
  var file: String

  @Option(help: "Whose key it is.")
  var comment = ""

  @Flag(help: "Print {\"id\", \"private\", \"public\"}.")
  var json = false

  func run() throws {
    let key = try CatalogSigner.makeKey(file, comment: comment)
    if json { return try JSONOutput.write(["id": key.id, "private": file, "public": "\(file).pub"]) }
    Output.standard.tell("\(file): keep it to yourself; \(file).pub: for everybody; its id is \(key.id)")
  }
}
