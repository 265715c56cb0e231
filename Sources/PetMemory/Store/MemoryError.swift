// SPDX-License-Identifier: Apache-2.0
import CSQLite
import PetFiles

/// Why memories cannot be read or kept. Carries numbers and paths, never what is remembered.
public enum MemoryError: Error, Equatable, CustomStringConvertible {
  /// The file is no database, or a broken one.
  case damaged(path: String)
  /// The file is sealed, and no key was given.
  case keyNeeded(path: String)
  /// The key or the passphrase is another's.
  case wrongKey(path: String)
  /// The file of the store's own key, at this path, is not there.
  case keyMissing(path: String)
  /// The file of the store's own key, at this path, holds no key.
  case keyDamaged(path: String)
  /// The file was removed or replaced while it was open.
  case gone(path: String)
  /// A key was given for a file that is not sealed with one.
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
  /// A text of more characters than a memory holds, or than are read at once.
  case tooLong(limit: Int)
  /// What is never kept, however it is said.
  case secret
  /// A question, or a command of the program.
  case tellsNothing
  /// A sentence that tells of more than one thing, or takes something back, in the place of one fact.
  case notOneFact
  /// A value alone does not tell what the text of this fact would be.
  case sentenceNeeded(Int64)
  /// There is no pet that remembers, only a system text.
  case noMemory
  /// A system call on a file failed: what was tried, and `errno`.
  case file(path: String, operation: String, code: Int32)
  /// SQLite refused, by its extended result code.
  case database(path: String, code: Int32)

  public var description: String {
    switch self {
    case .damaged(let path): "\(path): the memories are damaged; move the file away to begin anew"
    case .keyNeeded(let path): "\(path): the memories are sealed; give the key file or the passphrase"
    case .wrongKey(let path): "\(path): the memories are sealed with another key"
    case .keyMissing(let path):
      "\(path): the key of the memories is missing; put it back, or move the memories away to begin anew"
    case .keyDamaged(let path):
      "\(path): the key of the memories is damaged; put back a copy of it, or move the memories away to begin anew"
    case .gone(let path):
      "\(path): the file of the memories was removed or replaced while this program had it open; nothing more is kept in it: end the program and start it again"
    case .notSealed(let path): "\(path): the memories are not sealed with a key or a passphrase; open them without"
    case .newer(let path): "\(path): a newer version wrote the memories; use that"
    case .busy(let path): "\(path): another program holds the memories; close it"
    case .full(let path): "\(path): the disk is full; free some space"
    case .unfitKey(let reason): "the key does not do: \(reason)"
    case .noSuchFact(let id): "there is no memory \(id); list them to see which there are"
    case .emptyValue: "a memory cannot be empty; forget it instead"
    case .tooLong(let limit): "at most \(limit) characters are remembered at once; say it in fewer words"
    case .file(let path, let operation, let code):
      FileError(path: path, operation: operation, code: code).description
    case .database(let path, let code):
      "\(path): \(String(cString: sqlite3_errstr(code))); check the owner, the mode and the disk"
    case .secret: "passwords and the numbers of accounts, cards and telephones are not kept; leave them out"
    case .tellsNothing:
      "that tells nothing to remember; write it as you would tell it, as in \"my sister is called Ada\""
    case .notOneFact: "that tells more than one thing, or takes one back; give one sentence, or forget the memory"
    case .sentenceNeeded(let id):
      "a value alone does not fit memory \(id); give the whole sentence, as in \"I am a teacher\""
    case .noMemory: "nothing is remembered: this persona is a text, not a pet; choose a pet with --persona"
    }
  }
}

extension MemoryError {
  init(_ error: FileError) { self = .file(path: error.path, operation: error.operation, code: error.code) }

  /// Runs what works on files.
  static func storing<Value>(_ body: () throws(FileError) -> Value) throws(MemoryError) -> Value {
    do { return try body() } catch { throw MemoryError(error) }
  }
}
