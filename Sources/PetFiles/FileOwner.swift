// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whose the files are that root makes in the home of another.
package enum FileOwner {
  /// Gives what root has just made to the owner of the folder that it lies in, who could not open it otherwise. Nothing happens
  /// for other users, for what belongs to somebody already, and for files that have several names.
  /// - Parameter path: opened without following a link.
  package static func adopt(_ descriptor: Int32, at path: String) {
    guard geteuid() == 0 else { return }
    var (file, folder) = (stat(), stat())
    guard fstat(descriptor, &file) == 0, file.st_uid == 0, stat(FilePath.folder(of: path), &folder) == 0,
      folder.st_uid != 0
    else { return }
    let isFolder = file.st_mode & S_IFMT == S_IFDIR
    guard isFolder || (file.st_mode & S_IFMT == S_IFREG && file.st_nlink == 1 && file.st_size == 0) else { return }
    _ = fchown(descriptor, folder.st_uid, folder.st_gid)
  }
}
