// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import PetEngine

extension ProcessEnvironment {
  /// Refuses variables that a command would misread or ignore, before it does anything. Help is given whatever they are.
  /// - Parameter serving: a command that has commands below it and does something itself.
  /// - Throws: ``UnknownKernels``, `InferenceError.kernelsUnavailable`, `ConfigurationError.unknownVariable`, ``NotUTF8``.
  package static func check(
    for command: any ParsableCommand, serving: (any ParsableCommand.Type)? = nil,
    _ environment: [String: String] = current
  ) throws {
    let configuration = type(of: command).configuration
    // Another group of commands shows which there are; the parser's own command shows the help of another.
    guard configuration.subcommands.isEmpty || type(of: command) == serving, configuration.commandName != "help" else {
      return
    }
    try checkText()
    try checkKernels(environment)
    try Configuration.refuseUnknownVariables(in: environment)
  }

  /// What is not UTF-8 is repaired or left out by those who read it: a folder would be another.
  private static func checkText() throws(NotUTF8) {
    for name in Configuration.variables.sorted() + ["HOME", "XDG_DATA_HOME", "TMPDIR"] {
      guard let value = getenv(name), String(validatingCString: value) == nil else { continue }
      throw NotUTF8(place: name, repaired: nil, exitStatus: .refused)
    }
  }

  /// Those that are known and fit this CPU serve wherever a command names none.
  private static func checkKernels(_ environment: [String: String]) throws {
    guard let name = environment["PET_KERNELS"], !name.isEmpty else { return }
    guard let variant = KernelVariant(rawValue: name) else { throw UnknownKernels(name: name) }
    guard variant.isAvailable else { throw InferenceError.kernelsUnavailable(name) }
  }
}

/// PET_KERNELS names none that there are.
package struct UnknownKernels: UserFacingError, Equatable {
  let name: String

  package var description: String {
    "PET_KERNELS is \(name); give one of \(KernelVariant.allCases.map(\.rawValue).joined(separator: ", "))"
  }
}
