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
}

/// A command that is confined before the first thread of the program.
package protocol ConfinedCommand: AsyncParsableCommand {
  func confine() throws
}

extension ParsableCommand {
  /// Before the first thread: Landlock binds one, and those that it starts.
  package func confineWhereAsked() throws { try (self as? any ConfinedCommand)?.confine() }
}

extension ModelOptions {
  /// Files that the model, its settings and its folder need to be read, when the program is already confined.
  package func files(_ folders: PetFolders) throws -> [FileAccess] {
    // A name is no path, and a path that is not there will be told of.
    let device = deviceRoot == "/" ? nil : deviceRoot
    let paths = [folders.models, try resolve().model.value, settings.config, device].compactMap { $0 }
    return paths.map { FileAccess($0, .read) }
  }
}
