// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetRuntime
import PetText

/// Why a pet's life could not be read or kept.
package enum PetStateFileError: Error, Equatable, CustomStringConvertible {
  /// A system call failed; `operation` is "open", "read", "write", ...
  case system(path: String, operation: String, code: Int32)
  /// The content is not a pet's life; `key` is where, as far as that is known.
  case damaged(path: String, key: String)
  /// It was written by a later version of this program.
  case newer(path: String, version: Int)

  /// One line: names are those of the file.
  package var description: String { message.oneLine }

  private var message: String {
    switch self {
    case .system(let path, let operation, let code):
      FileError(path: path, operation: operation, code: code).description
    case .damaged(let path, let key):
      "\(path): not a pet's state\(key.isEmpty ? "" : " at \"\(key)\"")"
    case .newer(let path, let version):
      "\(path): has version \(version), this program reads up to \(PetStateFile.version); use a newer one"
    }
  }
}
