import ArgumentParser
import Glibc
import PetEngine

extension ProcessEnvironment {
  /// Refuses variables that a command would misread or ignore, before it does anything. Help is given whatever they are.
  /// - Parameter serving: a command that has commands below it and does something itself.
  /// - Throws: `ValidationError`, `InferenceError.kernelsUnavailable`, `ConfigurationError.unknownVariable`.
  package static func check(
    for command: any ParsableCommand, serving: (any ParsableCommand.Type)? = nil,
    _ environment: [String: String] = current
  ) throws {
    let configuration = type(of: command).configuration
    // Another group of commands shows which there are; the parser's own command shows the help of another.
    guard configuration.subcommands.isEmpty || type(of: command) == serving, configuration.commandName != "help" else {
      return
    }
    try checkFolders()
    try checkKernels(environment)
    try Configuration.refuseUnknownVariables(in: environment)
  }

  /// Folders whose names Swift would repair, so that they became others.
  private static func checkFolders() throws {
    for name in ["PET_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME"] {
      guard let value = getenv(name), String(validatingCString: value) == nil else { continue }
      throw ValidationError("\(name): not all of it is UTF-8; give the path of a folder whose name is")
    }
  }

  /// Those that are known and fit this CPU serve wherever a command names none.
  private static func checkKernels(_ environment: [String: String]) throws {
    guard let name = environment["PET_KERNELS"], !name.isEmpty else { return }
    guard let variant = KernelVariant(rawValue: name) else {
      let names = KernelVariant.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("PET_KERNELS is \(name); give one of \(names)")
    }
    guard variant.isAvailable else { throw InferenceError.kernelsUnavailable(name) }
  }
}
