// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file, closed at the end of its life.
package struct OpenFile: ~Copyable, Sendable {
  package let descriptor: Int32
  package let path: String

  package init(_ path: String, flags: Int32, mode: mode_t = 0) throws(FileError) {
    let opened = open(path, flags | O_CLOEXEC, mode)
    guard opened >= 0 else { throw FileError(path: path, operation: "open", code: errno) }
    descriptor = opened
    self.path = path
    // A link that is followed could lead anywhere.
    if flags & O_CREAT != 0, flags & (O_EXCL | O_NOFOLLOW) != 0 { FileOwner.adopt(opened, at: path) }
  }

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
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

  /// A new file with this content, on disk when this returns; where that fails there is none.
  package static func create(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(FileError) {
    let file = try OpenFile(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    do throws(FileError) {
      try file.write(bytes)
      try file.synchronize()
    } catch {
      unlink(path)
      throw error
    }
  }

  /// A file with this content, on disk when this returns: it takes the place of another whole or not at all (``FileDraft``).
  /// Whatever else is there (a pipe, a device, a link such as /dev/stdout) stays, and is written into; a folder is refused.
  package static func replace(
    _ path: String, _ bytes: UnsafeRawBufferPointer, mode: mode_t = 0o644
  ) throws(FileError) {
    if let target = try special(path) { return try target.write(bytes) }
    let draft = try FileDraft(path: path, mode: mode)
    try draft.write(bytes)
    try draft.commit(isNameDurable: true)
  }

  /// What is at `path` and no regular file, for writing; nil where there is one, or nothing.
  private static func special(_ path: String) throws(FileError) -> OpenFile? {
    var target = [UInt8](repeating: 0, count: 32)
    let length = readlink(path, &target, target.count)
    let link = String(decoding: target[..<max(0, length)], as: UTF8.self)
    if link.hasPrefix("/proc/self/fd/"), let number = Int32(link.dropFirst(14)) {
      // Opened anew it would be written from its start, and then by others over that.
      let copy = dup(number)
      guard copy >= 0 else { throw FileError(path: path, operation: "open", code: errno) }
      return OpenFile(descriptor: copy, path: path)
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
    return try OpenFile(path, flags: O_WRONLY | O_NOCTTY)
  }

  /// A new file with this content, whole or not at all: nobody ever sees a part of it.
  /// - Throws: `FileError`, with `EEXIST` where there is one already; that one stays.
  package static func publish(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(FileError) {
    let draft = "\(path).\(UInt64.random(in: 0 ... .max))"
    defer { unlink(draft) }
    do throws(FileError) {
      let file = try OpenFile(draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      try file.write(bytes)
      try file.synchronize()
    } catch {
      throw error.naming(path, insteadOf: draft)
    }
    guard link(draft, path) == 0 else { throw FileError(path: path, operation: "create", code: errno) }
  }

  package static func create(_ path: String, text: String) throws(FileError) {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(FileError) in
      try create(path, UnsafeRawBufferPointer(bytes))
    }
  }

  package static func replace(_ path: String, text: String) throws(FileError) {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(FileError) in
      try replace(path, UnsafeRawBufferPointer(bytes))
    }
  }

  /// The whole of a small file; nil where there is none.
  package static func contents(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      let file = try regular(path)
      guard try file.size <= limit else { throw FileError(path: path, operation: "read", code: EFBIG) }
      // Bytes that come while it is read do not count.
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 16)
      defer { buffer.deallocate() }
      return [UInt8](buffer[..<(try file.read(into: buffer))])
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  package var size: UInt64 {
    get throws(FileError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, operation: "examine", code: errno) }
      return UInt64(max(0, status.st_size))
    }
  }

  package var isFolder: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether nobody but its owner, and root, may read or write it.
  package var isPrivate: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & 0o077 == 0
  }

  /// Up to `count` bytes from the current position.
  package func prefix(_ count: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try bytes.withUnsafeMutableBufferPointer { buffer throws(FileError) in
      try read(into: UnsafeMutableRawBufferPointer(buffer))
    }
    bytes.removeLast(count - got)
    return bytes
  }

  /// Fills `buffer` from the current position; fewer bytes only at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var count = 0
    while count < buffer.count {
      let got = SystemCalls.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      if got == 0 { break }
      if got > 0 {
        count += got
      } else if errno != EINTR {
        throw FileError(path: path, operation: "read", code: errno)
      }
    }
    return count
  }

  /// Writes all of it at the current position.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = SystemCalls.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        throw FileError(path: path, operation: "write", code: errno)
      }
    }
  }

  /// Until this returns, a power cut may lose what was written.
  package func synchronize() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw FileError(path: path, operation: "write", code: errno) }
  }
}
