// SPDX-License-Identifier: Apache-2.0
import PetFiles

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file of a store's key, and the draft of the next one, which is written before the database is sealed with it and takes the
/// place of the other afterwards: a program that is killed in between leaves one of the two that opens the database.
///
/// For whoever holds the lock for writing on the database, but for ``candidates()``.
struct StoreKeyFile: Sendable {
  static let suffixes = [".key", ".key.new"]

  let path: String
  private let draft: String

  /// - Parameter database: its path.
  init(of database: String) {
    path = database + Self.suffixes[0]
    draft = database + Self.suffixes[1]
  }

  /// The keys that are there, the draft last.
  /// - Throws: ``MemoryError/file(path:operation:code:)`` for a file that is there and cannot be read.
  func candidates() throws(MemoryError) -> [StoreKey] {
    var found: [StoreKey] = []
    for path in [path, draft] {
      if let key = try Self.read(path) { found.append(key) }
    }
    return found
  }

  /// Whether a store has lived here.
  var isThere: Bool { FilePath.exists(path) }

  /// Writes the draft, on disk when this returns.
  func propose(_ key: StoreKey) throws(MemoryError) {
    try MemoryFile.erase(draft)
    try MemoryError.storing { () throws(FileError) in
      try key.bytes.withUnsafeBufferPointer { bytes throws(FileError) in
        try OpenFile.create(draft, UnsafeRawBufferPointer(bytes))
      }
      try Folder.synchronize(FilePath.folder(of: draft))
    }
  }

  /// Leaves `key` alone: the other one, draft or not, is overwritten in place and removed.
  /// - Throws: ``MemoryError/keyMissing(path:)`` where it is not there.
  func settle(on key: StoreKey) throws(MemoryError) {
    if try Self.read(path) == key { return try MemoryFile.erase(draft) }
    guard try Self.read(draft) == key else { throw .keyMissing(path: path) }
    try MemoryError.storing { () throws(FileError) in
      try OpenFile.overwrite(path)
      guard rename(draft, path) == 0 else { throw FileError(path: path, operation: "create", code: errno) }
      try Folder.synchronize(FilePath.folder(of: path))
    }
  }

  private static func read(_ path: String) throws(MemoryError) -> StoreKey? {
    do throws(FileError) {
      let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
      guard file.isPrivate || fchmod(file.descriptor, 0o600) == 0 else {
        throw FileError(path: path, operation: "protect", code: errno)
      }
      return StoreKey(try file.prefix(2 * StoreKey.halfBytes + 1))
    } catch {
      if error.operation == "open", error.code == ENOENT { return nil }
      throw MemoryError(error)
    }
  }
}
