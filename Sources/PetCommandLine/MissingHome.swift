// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetRuntime

/// A home folder that is not there: where to keep things was meant otherwise, and to make it with all above it is not ours.
package struct MissingHome: UserFacingError, Equatable {
  let path: String

  package var description: String {
    "HOME is \(path), and no such folder is there; make it, or set PET_HOME to a folder"
  }

  /// - Throws: ``MissingHome`` where things are kept below a HOME that is not there.
  package static func check(_ environment: [String: String]) throws(MissingHome) {
    guard (environment["PET_HOME"] ?? "").isEmpty, environment["XDG_DATA_HOME"]?.hasPrefix("/") != true,
      let home = environment["HOME"], home.hasPrefix("/"), !Folder.isFolder(home)
    else { return }
    throw MissingHome(path: home)
  }
}
