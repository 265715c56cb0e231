// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// Files and folders that are more open than they should be. Links are neither followed nor judged.
enum FileModes {
  /// Those at or below `path`.
  /// - Parameter isPrivate: whether others may not even read them.
  static func open(_ path: String, isPrivate: Bool) -> [String] {
    var status = stat()
    guard lstat(path, &status) == 0 else { return [] }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else { return [] }
    let below = kind == S_IFDIR ? Folder.names(in: path).flatMap { open("\(path)/\($0)", isPrivate: isPrivate) } : []
    return (status.st_mode & excess(isPrivate) == 0 ? [] : [path]) + below
  }

  /// Takes from others what they should not have.
  /// - Throws: `FileError`.
  static func close(_ path: String, isPrivate: Bool) throws(FileError) {
    // The descriptor's own: what takes the place of the path meanwhile is not touched.
    let file = try OpenFile(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    var status = stat()
    let isRead = fstat(file.descriptor, &status) == 0
    // A second name may lie elsewhere, where the mode is meant.
    guard !isRead || status.st_mode & S_IFMT == S_IFDIR || status.st_nlink == 1 else {
      throw FileError(path: path, operation: "change the mode", code: EMLINK)
    }
    guard isRead, fchmod(file.descriptor, status.st_mode & 0o7777 & ~excess(isPrivate)) == 0 else {
      throw FileError(path: path, operation: "change the mode", code: errno)
    }
  }

  private static func excess(_ isPrivate: Bool) -> mode_t { isPrivate ? 0o077 : 0o022 }
}
