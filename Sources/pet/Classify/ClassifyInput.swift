import Glibc
import PetCommandLine
import PetEngine

/// What a person gave to be classified.
enum ClassifyInput {
  case file(String)
  case standardInput

  /// The files that names mean: a folder stands for those in it that end in one of `endings`, in the order of their names. A pipe
  /// is read where a person named it, not where it lies in a folder.
  /// - Throws: `ClassifyError.nothing` for a folder without any.
  static func find(_ names: [String], endings: [String]) throws -> [ClassifyInput] {
    try names.flatMap { name -> [ClassifyInput] in
      if name == "-" { return [.standardInput] }
      guard Folder.isFolder(name) else { return [.file(name)] }
      let (names, others) = Folder.entries(in: name)
      if others > 0 {
        Output.error.tell(
          "pet: \(name): \(others) of its files have names that are not UTF-8, and are left out; rename them")
      }
      let files = names.filter { file in
        endings.contains { file.lowercased().hasSuffix(".\($0)") } && !isSpecial("\(name)/\(file)")
      }
      guard !files.isEmpty else { throw ClassifyError.nothing(path: name, endings: endings) }
      return files.map { .file("\(name)/\($0)") }
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
  case refused(path: String, reason: String, advice: String)

  var description: String {
    switch self {
    case .nothing(let path, let endings):
      "\(path): the folder has no file that ends in \(endings.map { ".\($0)" }.joined(separator: ", "))"
    case .refused(let path, let reason, let advice):
      // Reasons of this project may say already how to mend it.
      "\(path): \(reason)\(reason.contains(";") ? "" : "; \(advice)")"
    }
  }
}
