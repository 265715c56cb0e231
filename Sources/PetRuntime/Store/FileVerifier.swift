// SPDX-License-Identifier: Apache-2.0
import Crypto
import Glibc
import PetFiles

/// Compares files with the size and SHA-256 of the catalog.
package enum FileVerifier {
  private static let chunk = 1 << 20

  /// Called with the bytes read so far, about once per MiB.
  package typealias Progress = @Sendable (UInt64) -> Void

  /// The SHA-256 of a file, read in pieces of 1 MiB: memory does not grow with the file.
  /// - Parameter progress: called as `Progress` is.
  /// - Throws: `VerificationError.file`; `CancellationError` when the task is cancelled.
  package static func hash(of path: String, progress: (UInt64) -> Void = { _ in }) throws -> SHA256Hash {
    do {
      let file = try OpenFile.regular(path)
      posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
      var hasher = SHA256()
      var done: UInt64 = 0
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 64)
      defer { buffer.deallocate() }
      while true {
        try Task.checkCancellation()
        let count = try file.read(into: buffer)
        guard count > 0 else { break }
        hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        done += UInt64(count)
        progress(done)
      }
      return SHA256Hash(digest: hasher.finalize())
    } catch let error as FileError {
      throw VerificationError.file(error)
    }
  }

  /// Returns if size and SHA-256 are the expected ones; compares the size first, which reads nothing.
  /// - Throws: `VerificationError`; `CancellationError` when the task is cancelled.
  package static func verify(
    _ path: String, bytes: UInt64, sha256: SHA256Hash, progress: Progress? = nil
  ) throws {
    try verifySize(path, bytes: bytes)
    let actual = try hash(of: path) { progress?($0) }
    guard actual == sha256 else { throw VerificationError.hash(path: path, expected: sha256, actual: actual) }
  }

  /// Returns if the SHA-256 of bytes in memory is the expected one.
  static func verify(_ bytes: UnsafeRawBufferPointer, named name: String, sha256: SHA256Hash) throws(VerificationError)
  {
    var hasher = SHA256()
    hasher.update(bufferPointer: bytes)
    let actual = SHA256Hash(digest: hasher.finalize())
    guard actual == sha256 else { throw .hash(path: name, expected: sha256, actual: actual) }
  }

  static func verifySize(_ path: String, bytes: UInt64) throws(VerificationError) {
    let actual: UInt64
    do {
      actual = try OpenFile.regular(path).size
    } catch {
      throw .file(error)
    }
    guard actual == bytes else { throw .size(path: path, expected: bytes, actual: actual) }
  }
}
