// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsInstallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Take a GGUF file of your own among the models, under a name.",
    discussion: """
      The file is copied, looked at as loading would, and its SHA-256 written down: from then on it is checked like any other. An \
      error leaves nothing. parent-stress, whose file comes with the source of this program and is part of no program, is installed so \
      too; the file must then be that one.

      EXAMPLES
        pet models install parent-stress.gguf --name parent-stress
        pet models install tuned.gguf --name tuned
        pet models install better.gguf --name tuned --replace
      """)

  @Argument(help: "The GGUF file.")
  var file: String

  @Option(help: "Its name from now on: lower-case letters, digits, '.', '_', '-'.")
  var name: String

  @Option(help: "What it is for, for `pet models list`.")
  var description: String?

  @Option(help: "Its licence, as an SPDX identifier.")
  var licence: String?

  @Flag(help: "Take the place of a model of your own of that name.")
  var replace = false

  @Flag(help: "Share the file's bytes on disk instead of copying them; do not change the file then.")
  var link = false

  @Flag(help: "Print {\"name\", \"path\", \"bytes\", \"sha256\"}.")
  var json = false

  private struct Report: Encodable {
    let name: String
    let path: String
    let bytes: UInt64
    @OrNull var sha256: SHA256Hash?
  }

  func run() async throws {
    let store = try ModelStore.current()
    var options = ModelInstaller.Options()
    (options.replaces, options.links, options.description) = (replace, link, description)
    if let licence { options.licence = licence }
    let bars = StageBars(name)
    let installer = ModelInstaller(store: store, inspect: SealedInspection.inspect)
    let (chosen, file, name) = (options, file, name)
    let model = try await onOwnThread {
      defer { bars.finish() }
      return try installer.install(file, as: name, chosen) { event in
        switch event {
        case .waiting: Output.error.tell("another pet changes the models; waiting for it")
        case .copying(let done, let total): bars.update("copying", done, total)
        case .verifying(let done, let total): bars.update("hashing", done, total)
        }
      }
    }
    let path = store.location(of: model).description
    if json {
      try JSONOutput.write(Report(name: name, path: path, bytes: model.file.bytes, sha256: model.file.sha256))
    } else {
      let next = model.kind == .language ? "; talk to it: pet chat --model \(name)" : ""
      Output.standard.tell("\(name): installed: \(path)\(next)")
    }
  }
}

extension ModelsInstallCommand: ConfinedCommand {
  func confine() throws {
    // Another name is refused before anything is made.
    if Catalog.isName(name) { try SealedInspection.start() }
  }
}
