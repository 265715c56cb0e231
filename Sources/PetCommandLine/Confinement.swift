// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetRuntime

/// Whether a program gives up what it does not need before it hears a word.
package struct ConfinementOptions: ParsableArguments {
  @Flag(
    help:
      "End at once where the kernel cannot keep this program from the network, in the place of only looking after it.")
  package var requireSealed = false

  @Flag(help: "Give nothing up: for debuggers and profilers. Privacy is then observed, not enforced.")
  package var unsealed = false

  package init() {}

  package func validate() throws {
    guard !requireSealed || !unsealed else { throw ValidationError("--require-sealed or --unsealed, not both") }
  }

  /// Before the first thread.
  package func confine(to files: [FileAccess], peers: Sandbox.Peers) {
    guard !unsealed else { return }
    Sandbox.confine(to: FileAccess.system + files, peers: peers)
  }

  /// Before the first word is read.
  /// - Throws: `SandboxError` where that is not good enough.
  package func seal(_ peers: Sandbox.Peers) throws {
    guard !unsealed else { return }
    Sandbox.seal(peers)
    if requireSealed { try Sandbox.requireSealed() }
  }

  /// Both at once, for a command that speaks to nobody. Before the first thread, and before the first byte of a file of others.
  /// - Throws: `SandboxError` where that is not good enough.
  package func close(to seal: CommandSeal) throws {
    confine(to: seal.files, peers: .nobody)
    try self.seal(.nobody)
    if requireSealed { try Sandbox.requireFilesClosed() }
  }
}

/// A command that is confined before the first thread of the program.
package protocol ConfinedCommand: AsyncParsableCommand {
  func confine() throws
}

extension ParsableCommand {
  /// Before the first thread: Landlock binds one, and those that it starts.
  /// - Throws: what `confine()` and `seal()` throw; `SandboxError`.
  package func confineWhereAsked() throws {
    try (self as? any ConfinedCommand)?.confine()
    if let command = self as? any SealedCommand { try command.confinement.close(to: command.seal()) }
  }
}

extension ModelOptions {
  /// Files that the model, its settings and its folder need to be read, when the program is already confined.
  package func files(_ folders: PetFolders) throws -> [FileAccess] {
    // A path that is not there will be told of.
    let device = deviceRoot == "/" ? nil : deviceRoot
    let model = try resolve().model.value.flatMap { ModelStore.isPath($0) ? $0 : nil }
    let paths = [folders.models, model, settings.config, device].compactMap { $0 }
    return paths.map { FileAccess($0, .read) }
  }

  /// The same for a command that has nothing to do with pets.
  /// - Parameter draft: the name or path of a model that guesses ahead.
  package func seal(draft: String? = nil) throws -> CommandSeal {
    let folders = try PetFolders.current()
    return CommandSeal().reading(model: draft).adding(try folders.engineFiles + files(folders))
  }
}
