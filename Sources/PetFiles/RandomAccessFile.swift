// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file read at given offsets.
///
/// Files that are read once, from beginning to end, are read and not mapped: pages of a mapping would count as this
/// process's memory, and a file cut short by someone else meanwhile gives an error here where a mapping gives SIGBUS.
package final class RandomAccessFile: Sendable {
  package let path: String
  /// Bytes of the file when it was opened.
  package let size: Int
  private let file: OpenFile

  /// - Throws: `FileError` when the path is not a readable regular file.
  package init(path: String) throws(FileError) {
    file = try OpenFile.regular(path)
    size = Int(clamping: try file.size)
    self.path = path
  }

  /// Fills `buffer` with the bytes from `offset` on.
  ///
  /// - Throws: `FileError` when the system refuses or the file ends first.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) {
    var done = 0
    while done < buffer.count {
      let (position, overflow) = offset.addingReportingOverflow(done)
      guard !overflow, position >= 0 else { throw FileError(path: path, operation: "read", code: 0) }
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(file.descriptor, rest.baseAddress, rest.count, off_t(position))
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(path: path, operation: "read", code: errno)
      }
      guard count > 0 else { throw FileError(path: path, operation: "read", code: 0) }
      done += count
    }
  }

  /// The bytes `range`, which the caller has bounded.
  package func read(_ range: Range<Int>) throws(FileError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= size else {
      throw FileError(path: path, operation: "read", code: 0)
    }
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      do throws(FileError) {
        let target = UnsafeMutableRawBufferPointer(buffer)
        try read(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: target[..<range.count]))
        count = range.count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
