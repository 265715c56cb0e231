// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// The built `pet`, next to the test bundle.
enum PetBinary {
  struct Result {
    let status: Int32
    let output: String
    let error: String

    /// Standard error without lines of progress: what takes longer than a second says how far it is, on a busy machine or a slow one.
    var complaints: String {
      error.split(separator: "\n").filter { $0.wholeMatch(of: /.+: (\d+ % of )?[\d.]+( [A-Za-z]+)?/) == nil }.joined(
        separator: "\n")
    }

    /// Standard output as JSON.
    func json() throws -> Any {
      try JSONSerialization.jsonObject(with: Data(output.utf8))
    }
  }

  static let path: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return URL(filePath: own).deletingLastPathComponent().appending(path: "pet").path
  }()

  /// Runs `pet`; its environment is PATH and PET_HOME, nothing else.
  static func run(_ arguments: [String], home: String, path: String = "/usr/bin:/bin", input: String = "") throws
    -> Result
  {
    try run(executable: Self.path, arguments, environment: ["PATH": path, "PET_HOME": home], input: input)
  }

  static func run(
    executable: String, _ arguments: [String], environment: [String: String], input: String = ""
  ) throws -> Result {
    let folder = try TemporaryHome()
    defer { withExtendedLifetime(folder) {} }
    // Files rather than pipes: nothing to drain.
    try Data(input.utf8).write(to: URL(filePath: folder.path + "/in"))
    let files = (
      open(folder.path + "/in", O_RDONLY | O_CLOEXEC),
      open(folder.path + "/out", O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
      open(folder.path + "/err", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    )
    defer { for file in [files.0, files.1, files.2] { close(file) } }
    let status = try SpawnedProcess(executable, arguments, environment: environment, files: files).wait()
    return Result(
      status: status,
      output: try String(contentsOf: URL(filePath: folder.path + "/out"), encoding: .utf8),
      error: try String(contentsOf: URL(filePath: folder.path + "/err"), encoding: .utf8))
  }
}

extension PetBinary {
  /// Writes a shell script that can be started at once.
  ///
  /// Another process writes it: what a test starts meanwhile inherits no open file for writing, on which execve(2) gives ETXTBSY.
  static func writeProgram(_ script: String, to path: String) throws {
    let result = try run(
      executable: "/bin/sh", ["-c", "cat >\"$0\" && chmod 755 \"$0\"", path], environment: ["PATH": "/usr/bin:/bin"],
      input: "#!/bin/sh\n" + script)
    try #require(result.status == 0, "\(result.error)")
  }
}

/// An empty PET_HOME that goes with its owner.
final class TemporaryHome: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/pet-home-\(UUID().uuidString)"
    // Whatever the umask is: what others may write is refused.
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Puts the weights of parent stress, which no program contains, among the models.
  /// - Parameter home: of the pet; nil: this folder.
  func addStressWeights(home: String? = nil) throws {
    let folder = (home ?? path) + "/models/parent-stress"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let source = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Models/parent-stress/parent-stress.gguf").path
    try FileManager.default.copyItem(atPath: source, toPath: folder + "/parent-stress.gguf")
  }
}
