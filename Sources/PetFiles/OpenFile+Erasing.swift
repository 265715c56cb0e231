// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension OpenFile {
  /// All bytes become zeros in their place, on disk when this returns. A file system that copies on write and the controller of
  /// a flash disk may keep the old ones all the same, until they use the place anew.
  package func overwrite() throws(FileError) {
    var left = Int(clamping: try size)
    guard lseek(descriptor, 0, SEEK_SET) >= 0 else { throw FileError(path: path, operation: "write", code: errno) }
    let zeros = [UInt8](repeating: 0, count: min(left, 1 << 18))
    while left > 0 {
      let count = min(left, zeros.count)
      try zeros.withUnsafeBufferPointer { zeros throws(FileError) in
        try write(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: zeros[..<count])))
      }
      left -= count
    }
    try synchronize()
  }

  /// Overwrites the file at `path`. One that is not there is fine; a link is not followed, and what is no regular file stays.
  package static func overwrite(_ path: String) throws(FileError) {
    do throws(FileError) {
      let file = try OpenFile(path, flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
      var status = stat()
      guard fstat(file.descriptor, &status) == 0 else {
        throw FileError(path: path, operation: "examine", code: errno)
      }
      if status.st_mode & S_IFMT == S_IFREG { try file.overwrite() }
    } catch {
      guard error.operation == "open", error.code == ENOENT || error.code == ELOOP else { throw error }
    }
  }

  /// Overwrites and removes the file at `path`; one that is not there is fine.
  package static func erase(_ path: String) throws(FileError) {
    try overwrite(path)
    guard unlink(path) == 0 || errno == ENOENT else { throw FileError(path: path, operation: "remove", code: errno) }
  }
}
