// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// A download that is not complete: it outlives the process, so that the next one can go on.
final class PartialFile {
  let path: String
  private(set) var count: UInt64
  private let file: OpenFile

  /// Opens what there is, or begins.
  init(_ path: String) throws(FileError) {
    file = try OpenFile(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    count = try file.size
    self.path = path
    guard lseek(file.descriptor, 0, SEEK_END) >= 0 else { throw FileError(path: path, operation: "read", code: errno) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    // A write that fails may have written some.
    defer { count = (try? file.size) ?? count }
    try file.write(bytes)
  }

  func empty() throws(FileError) { try keep(0) }

  /// Lets go of what is behind the first `bytes`.
  func keep(_ bytes: UInt64) throws(FileError) {
    guard let bytes = Int(exactly: min(bytes, count)), ftruncate(file.descriptor, bytes) == 0,
      lseek(file.descriptor, bytes, SEEK_SET) == bytes
    else { throw FileError(path: path, operation: "write", code: errno) }
    count = UInt64(bytes)
  }

  func synchronize() throws(FileError) { try file.synchronize() }
}
