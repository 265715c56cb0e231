// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes a file that appears whole or not at all.
///
/// The bytes go to `.NAME.new` in the same folder; `commit` makes them durable and renames. Without `commit` the draft is
/// removed. Its name is fixed and it is locked, so a killed process leaves at most one, which the next writer replaces, and
/// two writers never mix their bytes.
package final class FileDraft {
  package let path: String
  /// Bytes accepted so far.
  package private(set) var count = 0

  private let draftPath: String
  private let file: OpenFile
  private let calls: FileSystemCalls
  private var pending: [UInt8] = []
  private var isCommitted = false
  private static let capacity = 1 << 20

  /// - Parameters:
  ///   - mode: of a new file; one that an interrupted write left, with whatever mode, is not written into.
  ///   - expectedSize: when given, a disk without that much room is refused at once.
  /// - Throws: `FileError`: `EWOULDBLOCK` to "lock" while another writes the file, `EISDIR` and `EINVAL` to "open" where no
  ///   file may take the place of what is there.
  package init(
    path: String, mode: mode_t = 0o644, expectedSize: Int? = nil, calls: FileSystemCalls = .system
  ) throws(FileError) {
    let obstacle = Self.obstacle(at: path)
    guard obstacle == 0 else { throw FileError(path: path, operation: "open", code: obstacle) }
    let draftPath = Self.path(of: path)
    do throws(FileError) {
      file = try Self.create(draftPath, mode: mode)
    } catch {
      throw error.naming(path, insteadOf: draftPath)
    }
    self.path = path
    self.draftPath = draftPath
    self.calls = calls
    // From here on what is thrown removes the draft.
    try checkRoom(for: expectedSize)
  }

  /// Where the bytes are until `commit`.
  package static func path(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ".\(path).new" }
    return "\(path[...slash]).\(FilePath.name(of: path)).new"
  }

  /// Whether a file has the name of a draft.
  package static func isDraft(_ path: String) -> Bool {
    let name = FilePath.name(of: path)
    return name.hasPrefix(".") && name.hasSuffix(".new") && name.utf8.count > 5
  }

  /// Whether a draft was left by a writer that has ended: a regular file that nobody has locked.
  package static func isLeft(_ draft: String) -> Bool {
    guard isDraft(draft), let file = try? OpenFile(draft, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
      return false
    }
    var status = stat()
    guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    guard (try? file.tryLock()) == true else { return false }
    file.unlock()
    return true
  }

  /// Removes a draft that was left.
  /// - Throws: `FileError`: `EWOULDBLOCK` to "lock" while somebody writes it.
  package static func removeLeft(_ draft: String) throws(FileError) {
    try removeLeftover(draft)
    guard !FilePath.exists(draft) else { throw FileError(path: draft, operation: "remove", code: EACCES) }
  }

  /// The first of `sources` that writing to `path` would replace, under its own name or that of the draft.
  package static func replaced(by path: String, of sources: [String]) -> String? {
    sources.first { FilePath.isSameFile(path, $0) || FilePath.isSameFile(Self.path(of: path), $0) }
  }

  /// Why no file may take the place of what is at `path`: a folder, a device, a pipe, a link such as /dev/stdout. 0: it may.
  private static func obstacle(at path: String) -> Int32 {
    guard !["", ".", ".."].contains(FilePath.name(of: path)) else { return EISDIR }
    var target = stat()
    guard stat(path, &target) == 0 else { return 0 }
    guard target.st_mode & S_IFMT == S_IFREG else { return target.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL }
    var link = [UInt8](repeating: 0, count: 6)
    let length = readlink(path, &link, link.count)
    return length == link.count && link.elementsEqual("/proc/".utf8) ? EINVAL : 0
  }

  /// A new, locked file at the place of what an interrupted write left.
  private static func create(_ draft: String, mode: mode_t) throws(FileError) -> OpenFile {
    do throws(FileError) {
      return try createAlone(draft, mode: mode)
    } catch {
      guard error.code == EEXIST else { throw error }
      try removeLeftover(draft)
      return try createAlone(draft, mode: mode)
    }
  }

  private static func createAlone(_ draft: String, mode: mode_t) throws(FileError) -> OpenFile {
    let file = try OpenFile(draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    // Another writer may have taken it for a leftover before it was locked.
    let isOurs: Bool
    do throws(FileError) {
      isOurs = try file.tryLock() && file.isAtItsPath
    } catch {
      unlink(draft)
      throw error
    }
    guard isOurs else { throw FileError(path: draft, operation: "lock", code: EWOULDBLOCK) }
    return file
  }

  /// A draft whose writer lives is locked.
  private static func removeLeftover(_ draft: String) throws(FileError) {
    var status = stat()
    if lstat(draft, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      do throws(FileError) {
        let left = try OpenFile(draft, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard try left.tryLock() else { throw FileError(path: draft, operation: "lock", code: EWOULDBLOCK) }
        unlink(draft)
      } catch {
        // One that may not be read may still be removed; one that is gone need not be.
        guard error.operation == "open", error.code == EACCES || error.code == ENOENT else { throw error }
        unlink(draft)
      }
    } else {
      unlink(draft)
    }
  }

  private func checkRoom(for expectedSize: Int?) throws(FileError) {
    var volume = statvfs()
    guard let expectedSize, fstatvfs(file.descriptor, &volume) == 0 else { return }
    let (room, overflow) = UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize))
    guard overflow || room >= expectedSize else { throw FileError(path: path, operation: "write", code: ENOSPC) }
  }

  deinit {
    if !isCommitted { unlink(draftPath) }
  }

  /// Appends bytes.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    if pending.count + bytes.count > Self.capacity { try flush() }
    if bytes.count >= Self.capacity {
      try writeThrough(bytes)
    } else {
      pending.append(contentsOf: bytes)
    }
    count += bytes.count
  }

  package func write(_ bytes: [UInt8]) throws(FileError) {
    try bytes.withUnsafeBufferPointer { bytes throws(FileError) in try write(UnsafeRawBufferPointer(bytes)) }
  }

  /// Appends `count` zero bytes; `count` is small.
  package func writeZeros(_ count: Int) throws(FileError) {
    if pending.count + count > Self.capacity { try flush() }
    pending.append(contentsOf: repeatElement(0, count: count))
    self.count += count
  }

  /// Makes the bytes durable and gives the file its name, replacing what was there.
  /// - Parameter isNameDurable: whether it is an error that the folder cannot be made durable, when the file has its name
  ///   already; without, the bytes are safe under one of the two names.
  package func commit(isNameDurable: Bool = false) throws(FileError) {
    try flush()
    guard calls.synchronize(file.descriptor) == 0 else {
      throw FileError(path: path, operation: "write", code: errno)
    }
    guard calls.rename(draftPath, path) == 0 else { throw FileError(path: path, operation: "create", code: errno) }
    isCommitted = true
    file.unlock()
    do throws(FileError) {
      try Folder.synchronize(FilePath.folder(of: path))
    } catch {
      if isNameDurable { throw error }
    }
  }

  private func flush() throws(FileError) {
    try pending.withUnsafeBufferPointer { bytes throws(FileError) in try writeThrough(UnsafeRawBufferPointer(bytes)) }
    pending.removeAll(keepingCapacity: true)
  }

  private func writeThrough(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = calls.write(file.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0 {
        if errno == EINTR { continue }
        throw FileError(path: path, operation: "write", code: errno)
      }
      guard written > 0 else { throw FileError(path: path, operation: "write", code: EIO) }
      rest = rest.dropFirst(written)
    }
  }
}
