// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetRuntime
import Testing

/// A server on this machine that answers as Hugging Face does, as long as the object lives.
final class HubServer: Sendable {
  let folder: TemporaryFolder
  private let process: pid_t
  let address: String

  private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/hub/server.py").path

  init() throws {
    folder = try TemporaryFolder()
    let arguments: [String] = ["python3", Self.script, folder.path]
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    try #require(posix_spawnp(&process, "python3", nil, nil, &words, environ) == 0)
    self.process = process
    for _ in 0..<3000 where !folder.exists("port") { usleep(10_000) }
    let port = try String(contentsOf: URL(filePath: "\(folder.path)/port"), encoding: .utf8)
    address = "http://127.0.0.1:\(port)"
  }

  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Puts a file into the repository "owner/name".
  func serve(_ data: Data, as name: String = "a/tiny.gguf") throws {
    try folder.write("files/owner/name/\(name)", data)
  }

  /// See server.py.
  func behave(_ manners: String) throws { try folder.write("manners", manners) }

  /// "METHOD RANGE STATUS" of every request.
  var log: [String] {
    let text = try? String(contentsOf: URL(filePath: "\(folder.path)/log"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }
}
