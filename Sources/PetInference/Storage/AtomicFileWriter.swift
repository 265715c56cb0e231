#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes a file that appears whole or not at all.
///
/// The bytes go to `.NAME.partial` in the same folder; `commit` makes them durable and renames. Without `commit` the
/// partial file is removed. Its name is fixed and it is locked, so a killed process leaves at most one, which the next
/// run reuses, and two runs never mix their bytes.
package final class AtomicFileWriter {
  package let path: String
  /// Bytes accepted so far.
  package private(set) var count = 0

  private let partialPath: String
  private let descriptor: Int32
  private let calls: FileSystemCalls
  private var pending: [UInt8] = []
  private var isCommitted = false
  private static let capacity = 1 << 20

  /// - Parameters:
  ///   - expectedSize: when given, a disk without that much room is refused at once.
  ///   - isPrivate: whether nobody but the owner may read the file.
  /// - Throws: `StorageError`
  package init(
    path: String, expectedSize: Int? = nil, isPrivate: Bool = false, calls: FileSystemCalls = .system
  ) throws(StorageError) {
    let name = Self.split(path).name
    guard !name.isEmpty, name != ".", name != ".." else {
      throw StorageError(path: path, operation: .open, code: EISDIR)
    }
    let obstacle = Self.obstacle(at: path)
    guard obstacle == 0 else { throw StorageError(path: path, operation: .open, code: obstacle) }
    let partialPath = Self.partialPath(of: path)
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = open(partialPath, flags, isPrivate ? 0o600 : 0o644)
    guard descriptor >= 0 else { throw StorageError(path: path, operation: .open, code: errno) }
    if let error = Self.claim(descriptor, partialPath, path: path, expectedSize: expectedSize) {
      close(descriptor)
      throw error
    }
    // An interrupted write may have left the file with other rights. A sealed process may change none, and has no need to.
    var status = stat()
    guard
      !isPrivate || fstat(descriptor, &status) == 0 && status.st_mode & 0o7777 == 0o600
        || fchmod(descriptor, 0o600) == 0
    else {
      defer { close(descriptor) }
      throw StorageError(path: path, operation: .open, code: errno)
    }
    self.path = path
    self.partialPath = partialPath
    self.descriptor = descriptor
    self.calls = calls
    pending.reserveCapacity(Self.capacity)
  }

  /// Where the bytes are until `commit`.
  package static func partialPath(of path: String) -> String {
    let (folder, name) = split(path)
    return folder + "." + name + ".partial"
  }

  /// The first of `sources` that writing to `path` would replace, under its own name or that of the partial file.
  package static func replaced(by path: String, of sources: [String]) -> String? {
    sources.first { isSameFile(path, $0) || isSameFile(partialPath(of: path), $0) }
  }

  /// The folder, with its slash, and the name.
  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (String(path[...slash]), String(path[path.utf8.index(after: slash)...]))
  }

  /// Why no file may take the place of what is at `path`: a folder, a device, a pipe, a link such as /dev/stdout. 0: it may.
  private static func obstacle(at path: String) -> Int32 {
    var target = stat()
    guard stat(path, &target) == 0 else { return 0 }
    guard target.st_mode & S_IFMT == S_IFREG else { return target.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL }
    var link = [UInt8](repeating: 0, count: 6)
    let length = readlink(path, &link, link.count)
    return length == link.count && link.elementsEqual("/proc/".utf8) ? EINVAL : 0
  }

  /// Locks and empties the partial file: a regular file that the path still names, on a disk with room enough.
  private static func claim(
    _ descriptor: Int32, _ partialPath: String, path: String, expectedSize: Int?
  ) -> StorageError? {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      return StorageError(path: path, operation: .lock, code: errno)
    }
    var opened = stat()
    var named = stat()
    guard fstat(descriptor, &opened) == 0, lstat(partialPath, &named) == 0,
      opened.st_ino == named.st_ino, opened.st_dev == named.st_dev
    else { return StorageError(path: path, operation: .lock, code: EWOULDBLOCK) }
    guard opened.st_mode & S_IFMT == S_IFREG, opened.st_nlink == 1 else {
      return StorageError(path: partialPath, operation: .open, code: EINVAL)
    }
    guard ftruncate(descriptor, 0) == 0 else {
      defer { unlink(partialPath) }
      return StorageError(path: path, operation: .write, code: errno)
    }
    var volume = statvfs()
    if let expectedSize, fstatvfs(descriptor, &volume) == 0 {
      let (room, overflow) = UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize))
      if !overflow, room < expectedSize {
        unlink(partialPath)
        return StorageError(path: path, operation: .write, code: ENOSPC)
      }
    }
    return nil
  }

  deinit {
    if !isCommitted { unlink(partialPath) }
    close(descriptor)
  }

  /// Appends bytes.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    if pending.count + bytes.count > Self.capacity { try flush() }
    if bytes.count >= Self.capacity {
      try writeThrough(bytes)
    } else {
      pending.append(contentsOf: bytes)
    }
    count += bytes.count
  }

  /// Appends `count` zero bytes; `count` is small.
  package func writeZeros(_ count: Int) throws(StorageError) {
    if pending.count + count > Self.capacity { try flush() }
    pending.append(contentsOf: repeatElement(0, count: count))
    self.count += count
  }

  /// Makes the bytes durable and gives the file its name, replacing what was there.
  package func commit() throws(StorageError) {
    try flush()
    guard calls.synchronize(descriptor) == 0 else {
      throw StorageError(path: path, operation: .synchronize, code: errno)
    }
    guard calls.rename(partialPath, path) == 0 else {
      throw StorageError(path: path, operation: .rename, code: errno)
    }
    isCommitted = true
    // The folder entry itself: best effort, the data is already safe under one of the two names.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  private func flush() throws(StorageError) {
    let failure: StorageError? = pending.withUnsafeBytes { buffer in
      do throws(StorageError) { try writeThrough(buffer) } catch { return error }
      return nil
    }
    if let failure { throw failure }
    pending.removeAll(keepingCapacity: true)
  }

  private func writeThrough(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var rest = bytes[...]
    while let address = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let written = calls.write(descriptor, address, rest.count)
      if written < 0 {
        if errno == EINTR { continue }
        throw StorageError(path: path, operation: .write, code: errno)
      }
      guard written > 0 else { throw StorageError(path: path, operation: .write, code: EIO) }
      rest = rest.dropFirst(written)
    }
  }
}
