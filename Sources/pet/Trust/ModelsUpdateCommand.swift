// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import FoundationEssentials
import PetRuntime

struct ModelsUpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Add a signed catalog, or a newer version of one.",
    discussion: """
      The signature lies beside it, as FILE.sig, by a key of `pet models trust`. An older version than was here before is \
      refused, and so is one that gives another meaning to a name that is known.
      """)

  @Argument(help: "The catalog.")
  var file: String

  @Flag(help: "Print {\"name\", \"serial\", \"models\"}.")
  var json = false

  private struct Report: Encodable {
    let name: String
    let serial: UInt64
    let models: [String]
  }

  func run() throws {
    let (folders, builtIn, now) = (try PetFolders.current(), try Catalog.builtIn(), Date())
    let publication = try ModelLibrary.update(file, folders: folders, builtIn: builtIn, now: now)
    let models = ModelLibrary(folders: folders, builtIn: builtIn, now: now).store.catalog.models
      .filter { $0.origin == .added(catalog: publication.name) }.map(\.name)
    if json {
      return try JSONOutput.write(Report(name: publication.name, serial: publication.serial, models: models))
    }
    Output.standard.tell(
      "catalog '\(publication.name)', version \(publication.serial): \(models.joined(separator: ", "))")
  }
}
