// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// Why a model's file cannot be found or used.
public enum ModelStoreError: Error, Equatable, CustomStringConvertible {
  case noHome
  case relativeHome(String)
  case noDefault
  case invalidName(String)
  case unknown(name: String, known: [String])
  case notPulled(name: String)
  /// A separate model, and the command that takes its file into the store.
  case notInstalled(name: String, command: String)
  case damaged(name: String, VerificationError)
  case cannotRun(name: String, [RunDecision.Reason])
  case notBuiltIn(name: String)
  case noSuchFile(path: String)
  case notAFile(path: String)
  case file(FileError)

  /// The model that a fetch would bring, or bring anew; nil: none would.
  package var mendedByPull: String? {
    switch self {
    case .notPulled(let name), .damaged(let name, _): name
    default: nil
    }
  }

  public var description: String {
    switch self {
    case .noHome: "models: no place to keep them; set PET_HOME to a folder"
    case .relativeHome(let value): "PET_HOME: '\(value)' is not an absolute path; give one that starts with /"
    case .noDefault: "models: the catalog names no default; give --model NAME"
    case .invalidName(let name) where ModelStore.isPath(name):
      "model '\(name)': not a name but a path; give a name from `pet models list`"
    case .invalidName(let name):
      "model '\(name)': not a name (lower-case letters, digits, '.', '_', '-'); a path needs a '/' or ends in .gguf"
    case .unknown(let name, let known):
      "model '\(name)': unknown\(NearestName.hint(for: name, among: known)); known are \(known.joined(separator: ", ")); "
        + "a path needs a '/' or ends in .gguf"
    case .notPulled(let name): "model '\(name)': not here yet; run: pet models pull \(name)"
    case .notInstalled(let name, let command): "model '\(name)': not here yet; in Pet's repository run: \(command)"
    case .damaged(let name, let error): "model '\(name)': damaged (\(error)); run: pet models repair \(name)"
    case .cannotRun(let name, let reasons):
      "model '\(name)': \(reasons.map(\.description).joined(separator: "; "))"
    case .notBuiltIn(let name): "model '\(name)': not built into this program; give a name from `pet models list`"
    case .noSuchFile(let path): "\(path): no such file; check the path"
    case .notAFile(let path): "\(path): not a regular file; give the path of a GGUF file"
    case .file(let error): error.description
    }
  }
}
