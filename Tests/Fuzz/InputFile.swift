// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// Where an input lies for those who open files by name: one folder per process, in memory where the system has such a place.
enum InputFile {
  private static let folder: String = {
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(base)/pet-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no folder for inputs in \(base)") }
    atexit { InputFile.removeFolder() }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  /// Writes the file and returns its path.
  static func write(_ bytes: some Collection<UInt8>, to name: String = "input") -> String {
    let path = "\(folder)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(file >= 0, "\(path) cannot be written")
    defer { close(file) }
    let all = Array(bytes)
    precondition(Glibc.write(file, all, all.count) == all.count, "\(path) cannot be written")
    return path
  }

  static func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// A folder in the folder.
  static func subfolder(_ name: String) -> String {
    mkdir(path(name), 0o700)
    return path(name)
  }

  private static func removeFolder() {
    try? FileManager.default.removeItem(atPath: folder)
  }
}
