// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array((FileManager.default.temporaryDirectory.path + "/pet-test-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else {
      throw FileError(path: "temporary folder", operation: "create", code: errno)
    }
    path = String(cString: made)
  }

  deinit {
    Folder.remove(path)
  }

  /// Writes a file, with the folders above it; returns its path.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try write(name, Data(text.utf8))
  }

  @discardableResult
  func write(_ name: String, _ data: Data) throws -> String {
    let file = "\(path)/\(name)"
    if let slash = file.lastIndex(of: "/") { try Folder.create(String(file[..<slash])) }
    try data.write(to: URL(filePath: file))
    return file
  }

  /// Changes what is in a file that is there, as a kernel does: the file stays the same one.
  func rewrite(_ name: String, _ text: String) throws {
    let file = try OpenFile("\(path)/\(name)", flags: O_WRONLY)
    let bytes = Array(text.utf8)
    guard pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count else {
      throw FileError(path: name, operation: "write", code: errno)
    }
  }

  func exists(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }
}
