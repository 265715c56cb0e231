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
public final class RandomAccessFile: Sendable {
  public let path: String
  /// Bytes of the file when it was opened.
  public let size: Int
  private let descriptor: Int32

  /// - Throws: `StorageError` when the path is not a readable regular file.
  public init(path: String) throws(StorageError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw StorageError(path: path, operation: .open, code: errno) }
    var status = stat()
    let failed = fstat(descriptor, &status) != 0
    let code = failed ? errno : status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
    guard !failed, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw StorageError(path: path, operation: .open, code: code)
    }
    self.path = path
    self.size = Int(status.st_size)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Fills `buffer` with the bytes from `offset` on.
  ///
  /// - Throws: `StorageError` when the system refuses or the file ends first.
  public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    var done = 0
    while done < buffer.count {
      let (position, overflow) = offset.addingReportingOverflow(done)
      guard !overflow, position >= 0 else { throw StorageError(path: path, operation: .read, code: 0) }
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(position))
      if count < 0 {
        if errno == EINTR { continue }
        throw StorageError(path: path, operation: .read, code: errno)
      }
      guard count > 0 else { throw StorageError(path: path, operation: .read, code: 0) }
      done += count
    }
  }

  /// The bytes `range`, which the caller has bounded.
  public func read(_ range: Range<Int>) throws(StorageError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= size else {
      throw StorageError(path: path, operation: .read, code: 0)
    }
    var failure: StorageError?
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      do throws(StorageError) {
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

/// Whether something is at `path`, of whatever kind.
func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Whether both paths lead to one file, by whatever names and links.
package func isSameFile(_ path: String, _ other: String) -> Bool {
  var (first, second) = (stat(), stat())
  guard stat(path, &first) == 0, stat(other, &second) == 0 else { return false }
  return first.st_ino == second.st_ino && first.st_dev == second.st_dev
}
