import PetRuntime

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
  var isThere: Bool { access(path, F_OK) == 0 }

  /// Writes the draft, on disk when this returns.
  func propose(_ key: StoreKey) throws(MemoryError) {
    try MemoryFile.erase(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .file(path: draft, operation: "create", code: errno) }
    defer { close(descriptor) }
    FileOwner.adopt(descriptor, at: draft)
    let code = MemoryFile.writeWhole(key.bytes, to: descriptor)
    guard code == 0 else {
      unlink(draft)
      throw .file(path: draft, operation: "write", code: code)
    }
    try MemoryFile.synchronizeFolder(of: draft)
  }

  /// Leaves `key` alone: the other one, draft or not, is overwritten in place and removed.
  /// - Throws: ``MemoryError/keyMissing(path:)`` where it is not there.
  func settle(on key: StoreKey) throws(MemoryError) {
    if try Self.read(path) == key { return try MemoryFile.erase(draft) }
    guard try Self.read(draft) == key else { throw .keyMissing(path: path) }
    try MemoryFile.overwrite(path)
    guard rename(draft, path) == 0 else { throw .file(path: path, operation: "create", code: errno) }
    try MemoryFile.synchronizeFolder(of: path)
  }

  private static func read(_ path: String) throws(MemoryError) -> StoreKey? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .file(path: path, operation: "open", code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .file(path: path, operation: "examine", code: errno) }
    guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o600) == 0 else {
      throw .file(path: path, operation: "protect", code: errno)
    }
    var bytes = [UInt8](repeating: 0, count: 2 * StoreKey.halfBytes + 1)
    let count = Self.read(descriptor, into: &bytes)
    guard count >= 0 else { throw .file(path: path, operation: "read", code: errno) }
    return StoreKey(Array(bytes[..<count]))
  }

  private static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, &bytes, bytes.count)
    #else
      Darwin.read(descriptor, &bytes, bytes.count)
    #endif
  }
}
