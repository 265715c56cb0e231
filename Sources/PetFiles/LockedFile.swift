// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A regular file that only its owner may read, open and locked against other processes; let go at the end of its life.
package struct LockedFile: ~Copyable, Sendable {
  private let file: OpenFile

  /// - Parameter patience: how long to wait for another process that holds the lock.
  /// - Throws: `FileError`: `ENOENT` where there is none and it is not to be made, `EWOULDBLOCK` when patience ends, `ELOOP` for a
  ///   symbolic link, `EINVAL` for what is no regular file or has several names.
  package init(_ path: String, creates: Bool, patience: Duration) throws(FileError) {
    var left = patience
    let pause = Duration.milliseconds(1)
    while true {
      let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | (creates ? O_CREAT : 0)
      let opened = try OpenFile(path, flags: flags, mode: 0o600)
      var status = stat()
      guard fstat(opened.descriptor, &status) == 0 else {
        throw FileError(path: path, operation: "examine", code: errno)
      }
      guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1 else {
        throw FileError(path: path, operation: "open", code: EINVAL)
      }
      // The name may belong to another file by now: it was written anew, or removed.
      if try opened.tryLock(), opened.isAtItsPath {
        guard status.st_mode & 0o077 == 0 || fchmod(opened.descriptor, 0o600) == 0 else {
          throw FileError(path: path, operation: "open", code: errno)
        }
        file = opened
        return
      }
      guard left > .zero else { throw FileError(path: path, operation: "lock", code: EWOULDBLOCK) }
      left -= pause
      usleep(1000)
    }
  }

  deinit { file.unlock() }

  package var size: Int {
    get throws(FileError) { Int(clamping: try file.size) }
  }

  /// Up to `count` bytes from the beginning.
  package func prefix(_ count: Int) throws(FileError) -> [UInt8] {
    try seek(to: 0)
    return try file.prefix(count)
  }

  /// Writes at the end; what could not be written whole is taken back.
  package func append(_ bytes: [UInt8]) throws(FileError) {
    let end = try size
    try seek(to: end)
    do throws(FileError) {
      try bytes.withUnsafeBufferPointer { buffer throws(FileError) in try file.write(UnsafeRawBufferPointer(buffer)) }
    } catch {
      ftruncate(file.descriptor, off_t(end))
      throw error
    }
  }

  package func truncate(to size: Int) throws(FileError) {
    guard ftruncate(file.descriptor, off_t(size)) == 0 else {
      throw FileError(path: file.path, operation: "write", code: errno)
    }
  }

  package func synchronize() throws(FileError) { try file.synchronize() }

  /// All of it becomes zeros, on disk when this returns; see ``OpenFile/overwrite()``.
  package func overwrite() throws(FileError) { try file.overwrite() }

  /// Hands out the bytes from `start` on; those that `body` is not done with come again with the next.
  /// - Parameter body: receives bytes and whether the file ends with them; returns how many it is done with, and leaves fewer than
  ///   128 KiB.
  package func forEachPiece(
    from start: Int, _ body: (UnsafeRawBufferPointer, Bool) -> Int
  ) throws(FileError) {
    try seek(to: start)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var held = 0
    while true {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[held...])
      let got = try file.read(into: room)
      let isEnd = got < room.count
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<(held + got)])
      let done = body(bytes, isEnd)
      if isEnd { return }
      held = bytes.count - done
      precondition(held < buffer.count, "no progress")
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done...]))
    }
  }

  /// Overwrites and removes a file; one that is not there is fine.
  package static func erase(_ path: String) throws(FileError) {
    do throws(FileError) {
      let file = try LockedFile(path, creates: false, patience: .milliseconds(2000))
      try file.overwrite()
      try file.truncate(to: 0)
      guard unlink(path) == 0 else { throw FileError(path: path, operation: "remove", code: errno) }
    } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  private func seek(to offset: Int) throws(FileError) {
    guard lseek(file.descriptor, off_t(offset), SEEK_SET) >= 0 else {
      throw FileError(path: file.path, operation: "read", code: errno)
    }
  }
}
