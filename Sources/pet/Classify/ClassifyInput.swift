// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetCommandLine
import PetEngine
import PetFiles

/// What a person gave to be classified.
enum ClassifyInput {
  case file(String)
  case standardInput
  /// What gives no file: a folder without any, or that cannot be read, or a name in one that nothing opens by.
  case nothing(path: String, any UserFacingError)

  /// As `--json` has it.
  var path: String {
    switch self {
    case .file(let path), .nothing(let path, _): path
    case .standardInput: "-"
    }
  }

  /// For people.
  var name: String { if case .standardInput = self { "standard input" } else { path } }

  /// The files that names mean: a folder stands for those in it that end in one of `endings`, in the order of their names. A pipe
  /// is read where a person named it, not where it lies in a folder.
  static func find(_ names: [String], endings: [String]) -> [ClassifyInput] {
    names.flatMap { name -> [ClassifyInput] in
      if name == "-" { return [.standardInput] }
      guard Folder.isFolder(name) else { return [.file(name)] }
      let found: Folder.Contents
      do throws(FileError) {
        found = try Folder.contents(of: name)
      } catch {
        return [.nothing(path: name, error)]
      }
      func isWanted(_ file: String) -> Bool { endings.contains { file.lowercased().hasSuffix(".\($0)") } }
      let files = found.names.filter(isWanted).map { "\(name)/\($0)" }.filter { !isSpecial($0) }
      let nameless = found.repaired.filter(isWanted).map { "\(name)/\($0)" }
      guard !files.isEmpty || !nameless.isEmpty else {
        return [.nothing(path: name, ClassifyError.nothing(path: name, endings: endings))]
      }
      return files.map { .file($0) } + nameless.map { .nothing(path: $0, ClassifyError.nameless(path: $0)) }
    }
  }

  /// Whether something else than a file is there. What cannot be looked at will be told of.
  private static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }
}

/// Input that was refused.
enum ClassifyError: UserFacingError {
  case nothing(path: String, endings: [String])
  case nameless(path: String)
  case refused(path: String, reason: String, advice: String)

  var description: String {
    switch self {
    case .nothing(let path, let endings):
      "\(path): the folder has no file that ends in \(endings.map { ".\($0)" }.joined(separator: ", "))"
    case .nameless(let path): "\(path): the name is not UTF-8; rename the file"
    case .refused(let path, let reason, let advice):
      // Reasons of this project may say already how to mend it.
      "\(path): \(reason)\(reason.contains(";") ? "" : "; \(advice)")"
    }
  }
}
