/// Why memories cannot be read or kept. Carries numbers and paths, never what is remembered.
public enum MemoryError: Error, Equatable, CustomStringConvertible {
  /// The file is no database, or a broken one.
  case damaged(path: String)
  /// The file is sealed, and no key was given.
  case keyNeeded(path: String)
  /// The key or the passphrase is another's.
  case wrongKey(path: String)
  /// A key was given for a file that is not sealed.
  case notSealed(path: String)
  /// A newer version of this program wrote the file.
  case newer(path: String)
  /// Another program holds the file.
  case busy(path: String)
  /// The disk is full.
  case full(path: String)
  /// A key file that is too short, or that others may read.
  case unfitKey(String)
  case noSuchFact(Int64)
  /// A value that is empty.
  case emptyValue
  /// A system call on a file failed: what was tried, and `errno`.
  case file(path: String, operation: String, code: Int32)
  /// SQLite refused, by its extended result code.
  case database(path: String, code: Int32)

  public var description: String {
    switch self {
    case .damaged(let path): "\(path): the memories are damaged; move the file away to begin anew"
    case .keyNeeded(let path): "\(path): the memories are sealed; give the key file or the passphrase"
    case .wrongKey(let path): "\(path): the memories are sealed with another key"
    case .notSealed(let path): "\(path): the memories are not sealed; open them without a key"
    case .newer(let path): "\(path): a newer version wrote the memories; use that"
    case .busy(let path): "\(path): another program holds the memories; close it"
    case .full(let path): "\(path): the disk is full; free some space"
    case .unfitKey(let reason): "the key does not do: \(reason)"
    case .noSuchFact(let id): "there is no memory \(id); list them to see which there are"
    case .emptyValue: "a memory cannot be empty; forget it instead"
    case .file(let path, let operation, let code):
      "\(path): cannot \(operation), error \(code); check owner, mode and space"
    case .database(let path, let code): "\(path): the database refused with code \(code)"
    }
  }
}
