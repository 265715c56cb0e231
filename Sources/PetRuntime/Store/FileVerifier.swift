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
    try hash(of: path, in: 0..<UInt64.max, progress: progress)
  }

  /// The same of some of its bytes, as far as there are any.
  static func hash(
    of path: String, in range: Range<UInt64>, progress: (UInt64) -> Void = { _ in }
  ) throws -> SHA256Hash {
    var hasher = SHA256()
    var done: UInt64 = 0
    try eachPiece(of: path, in: range) {
      hasher.update(bufferPointer: $0)
      done += UInt64($0.count)
      progress(done)
    }
    return SHA256Hash(digest: hasher.finalize())
  }

  /// Reads a file, or some of its bytes, in pieces of at most 1 MiB.
  /// - Throws: as ``hash(of:progress:)``, and what `body` throws.
  static func eachPiece(
    of path: String, in range: Range<UInt64> = 0..<UInt64.max, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    do {
      let file = try OpenFile.regular(path)
      posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
      guard let start = off_t(exactly: range.lowerBound), lseek(file.descriptor, start, SEEK_SET) == start else {
        throw FileError(path: path, operation: "read", code: errno)
      }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 64)
      defer { buffer.deallocate() }
      var left = range.upperBound - range.lowerBound
      while left > 0 {
        try Task.checkCancellation()
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(chunk), left))])
        let count = try file.read(into: room)
        guard count > 0 else { break }
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        left -= UInt64(count)
      }
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
