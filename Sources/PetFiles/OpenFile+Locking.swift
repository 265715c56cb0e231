// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension OpenFile {
  /// Takes the file's advisory lock; the kernel drops it when the process ends, however it ends.
  /// - Returns: false while another open file has it.
  package func tryLock() throws(FileError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw FileError(path: path, operation: "lock", code: errno) }
    }
    return true
  }

  /// Takes the lock, however long that takes.
  package func lock() throws(FileError) {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw FileError(path: path, operation: "lock", code: errno) }
    }
  }

  /// Closing alone would leave the lock with children that this process forked meanwhile.
  package func unlock() { flock(descriptor, LOCK_UN) }

  /// Whether its path still names this file: it may have been replaced or removed meanwhile.
  package var isAtItsPath: Bool {
    var (opened, named) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }
}

/// A lock that other programs wait for.
package enum FileLock {
  /// Runs `body` while no other process holds the lock at `path`, a file that is made where there is none.
  /// - Parameter waiting: called once when another process holds it, before waiting for that.
  package static func holding<Value>(_ path: String, waiting: () -> Void, body: () throws -> Value) throws -> Value {
    let file = try OpenFile(path, flags: O_RDWR | O_CREAT, mode: 0o644)
    if try !file.tryLock() {
      waiting()
      try file.lock()
    }
    defer { file.unlock() }
    return try body()
  }
}
