// SPDX-License-Identifier: Apache-2.0
import PetFiles
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files of a store: only their owner may read them.
enum MemoryFile {
  /// What SQLite keeps beside a database.
  static let companions = ["", "-wal", "-shm", "-journal"]
  /// What a broken database is called when it has been set aside.
  static let asideMark = ".damaged-"
  private static let creation = Mutex(())

  /// Makes the folder, if need be with mode 0700, and the file with mode 0600, before SQLite sees them: it gives its other
  /// files the mode of this one.
  ///
  /// A file that is there is looked at but not opened: to close it again would let go of every lock that this process has
  /// on it, which are those of its other stores (https://www.sqlite.org/howtocorrupt.html, 2.2).
  /// - Returns: whether the file is new or empty.
  static func prepare(_ path: String) throws(MemoryError) -> Bool {
    try MemoryError.storing { () throws(FileError) in try Folder.create(FilePath.folder(of: path), mode: 0o700) }
    try create(path)
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .file(path: path, operation: "examine", code: errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw .file(path: path, operation: "open", code: ELOOP)
    case S_IFDIR: throw .file(path: path, operation: "open", code: EISDIR)
    default: throw .file(path: path, operation: "open", code: EINVAL)
    }
    for companion in companions { try protect(path + companion) }
    // SQLite takes what is shorter than the smallest page for nothing, and would write over it.
    guard status.st_size == 0 || status.st_size >= 512 else { throw .damaged(path: path) }
    return status.st_size == 0
  }

  /// Takes the rights of others to a file that others may read or write, such as one from a backup. A sealed process may not change rights:
  /// to it the folder is enough, where only its owner may enter that.
  private static func protect(_ path: String) throws(MemoryError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & 0o7777 == 0o600 || chmod(path, 0o600) == 0 || errno == ENOENT { return }
    let code = errno
    var around = stat()
    let isApart =
      stat(FilePath.folder(of: path), &around) == 0 && around.st_uid == geteuid() && around.st_mode & 0o077 == 0
    guard code == EPERM, isApart else { throw .file(path: path, operation: "protect", code: code) }
  }

  /// Moves a broken database away, under a name that nothing has yet.
  static func setAside(_ path: String) throws(MemoryError) -> String {
    for number in 1...999 {
      let aside = "\(path)\(asideMark)\(number)"
      guard !FilePath.exists(aside) else { continue }
      // Its log first: a new database must never find it. Had the program ended in between, the next try goes on.
      for companion in companions.dropFirst() where rename(path + companion, aside + companion) != 0 && errno != ENOENT
      {
        throw .file(path: path + companion, operation: "set aside", code: errno)
      }
      guard rename(path, aside) == 0 else { throw .file(path: path, operation: "set aside", code: errno) }
      // Its key last: where that is left behind, an empty database in its place is set aside too.
      for key in StoreKeyFile.suffixes.reversed() where rename(path + key, aside + key) != 0 && errno != ENOENT {
        throw .file(path: path + key, operation: "set aside", code: errno)
      }
      return aside
    }
    throw .file(path: path, operation: "set aside", code: EEXIST)
  }

  /// The first database that was set aside after `other` was last written; nil: none was. A rename is a change of the file.
  static func aside(of path: String, since other: String) -> String? {
    var written = stat()
    guard stat(other, &written) == 0 else { return nil }
    let since = moment(written.st_mtim)
    let name = FilePath.name(of: path)
    var first: (path: String, changed: (Int, Int))?
    for other in Folder.names(in: FilePath.folder(of: path)) where other.hasPrefix(name + asideMark) {
      let aside = "\(FilePath.folder(of: path))/\(other)"
      var status = stat()
      guard Int(other.dropFirst(name.count + asideMark.count)) != nil, stat(aside, &status) == 0 else { continue }
      let changed = moment(status.st_ctim)
      if changed >= since, first.map({ changed < $0.changed }) ?? true { first = (aside, changed) }
    }
    return first?.path
  }

  private static func moment(_ time: timespec) -> (Int, Int) { (time.tv_sec, time.tv_nsec) }

  /// Overwrites and removes all that was set aside.
  static func removeAsides(of path: String) throws(MemoryError) {
    let name = FilePath.name(of: path)
    for other in Folder.names(in: FilePath.folder(of: path)) where other.hasPrefix(name + asideMark) {
      try erase("\(FilePath.folder(of: path))/\(other)")
    }
  }

  /// Overwrites and removes a file; one that is not there is fine.
  static func erase(_ path: String) throws(MemoryError) {
    try MemoryError.storing { () throws(FileError) in try OpenFile.erase(path) }
  }

  /// The bytes of a key file; a new one is filled with `freshBytes` random bytes.
  static func key(_ path: String, freshBytes: Int) throws(MemoryError) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let fresh = (0..<freshBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
    do throws(FileError) {
      try fresh.withUnsafeBufferPointer { bytes throws(FileError) in
        try OpenFile.create(path, UnsafeRawBufferPointer(bytes))
      }
      return fresh
    } catch {
      guard error.code == EEXIST else { throw MemoryError(error) }
    }
    let bytes: [UInt8]?
    do throws(FileError) {
      bytes = try readKey(path)
    } catch {
      let isFile = error.code != EISDIR && error.code != EINVAL
      throw isFile ? MemoryError(error) : .unfitKey("a key file is a regular file")
    }
    guard let bytes else { throw .unfitKey("others may read the key file; chmod 600 it") }
    guard bytes.count <= 4096 else { throw .unfitKey("a key file has at most 4096 bytes") }
    return bytes
  }

  /// One byte more than a key file may have tells that it is too long; nil where others may read it.
  private static func readKey(_ path: String) throws(FileError) -> [UInt8]? {
    let file = try OpenFile.regular(path)
    return file.isPrivate ? try file.prefix(4097) : nil
  }

  /// Makes an empty file where there is none. One thread at a time: no other has locks on it before it is closed here.
  private static func create(_ path: String) throws(MemoryError) {
    let code = creation.withLock { _ in
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return errno }
      // SQLite gives its other files the owner of this one.
      FileOwner.adopt(descriptor, at: path)
      close(descriptor)
      return 0
    }
    guard code == 0 || code == EEXIST else { throw .file(path: path, operation: "create", code: code) }
  }
}
