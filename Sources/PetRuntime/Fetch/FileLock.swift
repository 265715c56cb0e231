import Glibc

/// An advisory lock on a file; the kernel drops it when the process ends, however it ends.
enum FileLock {
  /// Runs `body` while no other process holds the lock.
  /// - Parameter waiting: called once when another process holds it, before waiting for that.
  static func holding<Value>(_ path: String, waiting: () -> Void, body: () throws -> Value) throws -> Value {
    let file = try OpenFile(path, flags: O_RDWR | O_CREAT, mode: 0o644)
    if flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK else { throw FileError(path: path, operation: "lock", code: errno) }
      waiting()
      while flock(file.descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw FileError(path: path, operation: "lock", code: errno) }
      }
    }
    defer { flock(file.descriptor, LOCK_UN) }
    return try body()
  }
}
