// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// A folder of a test's own, removed at the end of its life.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/pet-files-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FileError(path: "/tmp", operation: "create", code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Folder.remove(path) }

  var names: [String] { Folder.names(in: path) }

  func at(_ name: String) -> String { "\(path)/\(name)" }

  @discardableResult
  func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
    let file = try OpenFile(at(name), flags: O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
    try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    return at(name)
  }

  func text(_ name: String) throws -> String? {
    try OpenFile.contents(at(name), atMost: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
  }

  func mode(_ name: String) -> mode_t {
    var status = stat()
    return lstat(at(name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  func kind(_ name: String) -> mode_t {
    var status = stat()
    return lstat(at(name), &status) == 0 ? status.st_mode & S_IFMT : 0
  }
}
