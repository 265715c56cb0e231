import Glibc

/// An open file, closed at the end of its life.
package struct OpenFile: ~Copyable {
  package let descriptor: Int32
  package let path: String

  package init(_ path: String, flags: Int32, mode: mode_t = 0) throws(FileError) {
    let opened = open(path, flags | O_CLOEXEC, mode)
    guard opened >= 0 else { throw FileError(path: path, operation: "open", code: errno) }
    descriptor = opened
    self.path = path
  }

  deinit {
    close(descriptor)
  }

  /// A regular file for reading. Anything else (a folder, a pipe that would block) is refused.
  package static func regular(_ path: String) throws(FileError) -> OpenFile {
    let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw FileError(path: path, operation: "examine", code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(path: path, operation: "read", code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    return file
  }

  /// A new file with this content.
  package static func create(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(FileError) {
    let file = try OpenFile(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = write(file.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        throw FileError(path: path, operation: "write", code: errno)
      }
    }
  }

  package var size: UInt64 {
    get throws(FileError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, operation: "examine", code: errno) }
      return UInt64(max(0, status.st_size))
    }
  }

  /// Fills `buffer` from the current position; fewer bytes only at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var count = 0
    while count < buffer.count {
      let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      if got == 0 { break }
      if got > 0 {
        count += got
      } else if errno != EINTR {
        throw FileError(path: path, operation: "read", code: errno)
      }
    }
    return count
  }

  /// Until this returns, a power cut may lose what was written.
  package func synchronize() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw FileError(path: path, operation: "write", code: errno) }
  }
}
