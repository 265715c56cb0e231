// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Folders, by plain system calls.
package enum Folder {
  /// Creates the folder and those above it; one that exists is fine.
  package static func create(_ path: String, mode: mode_t = 0o755) throws(FileError) {
    var built = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      built += built.isEmpty || built.hasSuffix("/") ? String(part) : "/" + part
      if mkdir(built, mode) != 0 {
        guard errno == EEXIST else { throw FileError(path: built, operation: "create", code: errno) }
      } else if case let made = open(built, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), made >= 0 {
        FileOwner.adopt(made, at: built)
        close(made)
      }
    }
    guard isFolder(path) else { throw FileError(path: path, operation: "create", code: ENOTDIR) }
  }

  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  package struct Contents: Sendable, Equatable {
    /// Sorted.
    package var names: [String] = []
    /// Names that are not UTF-8, with U+FFFD for what is not: nothing opens by them.
    package var repaired: [String] = []
  }

  /// What is in the folder.
  package static func contents(of path: String) throws(FileError) -> Contents {
    guard let stream = opendir(path) else { throw FileError(path: path, operation: "open", code: errno) }
    defer { closedir(stream) }
    var contents = Contents()
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { bytes in
          guard let name = String(validatingCString: bytes) else {
            contents.repaired.append(String(cString: bytes))
            return
          }
          if name != ".", name != ".." { contents.names.append(name) }
        }
      }
    }
    contents.names.sort()
    contents.repaired.sort()
    return contents
  }

  /// Names in the folder, sorted; empty when it cannot be read.
  package static func names(in path: String) -> [String] { (try? contents(of: path))?.names ?? [] }

  /// Removes a file or a folder with all it holds; links are removed, never followed. What is not there is fine.
  package static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// Bytes of all regular files below.
  package static func bytes(below path: String) -> UInt64 {
    var status = stat()
    guard lstat(path, &status) == 0 else { return 0 }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return UInt64(max(0, status.st_size))
    case S_IFDIR: return names(in: path).reduce(0) { $0 &+ bytes(below: "\(path)/\($1)") }
    default: return 0
    }
  }

  /// Bytes that an ordinary user may still write to the file system of `path`, or nil when it does not say.
  package static func freeBytes(at path: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? nil : bytes
  }

  /// Makes a rename within the folder outlive a power cut.
  package static func synchronize(_ path: String) throws(FileError) {
    try OpenFile(path, flags: O_RDONLY | O_DIRECTORY).synchronize()
  }
}
