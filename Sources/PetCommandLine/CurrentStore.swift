// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime

extension PetFolders {
  /// Those that the environment asks for.
  package static func current() throws -> PetFolders { try PetFolders(environment: ProcessEnvironment.current) }
}

extension ModelStore {
  /// The store that the environment asks for, with every catalog that counts. Says on standard error which do not.
  package static func current() throws -> ModelStore {
    let library = ModelLibrary(folders: try .current(), builtIn: try Catalog.builtIn(), now: Date())
    for refusal in library.refusals {
      Output.error.tell("\(ProgramName.own): left out: \(refusal.description)")
    }
    return library.store
  }
}
