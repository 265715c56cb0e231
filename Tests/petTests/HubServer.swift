// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// A server on this machine that answers as Hugging Face does, with one file in the place of Phi-3.
final class HubServer: Sendable {
  let home: TemporaryHome
  let address: String
  private let process: SpawnedProcess

  init(serving path: String) throws {
    home = try TemporaryHome()
    let folder = home.path + "/files/microsoft/Phi-3-mini-4k-instruct-gguf"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: path, toPath: folder + "/Phi-3-mini-4k-instruct-q4.gguf")
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nowhere) }
    process = try SpawnedProcess(
      "/usr/bin/env", ["python3", Fixtures.path("hub/server.py"), home.path], environment: ["PATH": "/usr/bin:/bin"],
      files: (nowhere, nowhere, nowhere))
    for _ in 0..<3000 where access(home.path + "/port", F_OK) != 0 { usleep(10_000) }
    address = "http://127.0.0.1:" + (try String(contentsOfFile: home.path + "/port", encoding: .utf8))
  }

  deinit {
    kill(process.pid, SIGKILL)
    _ = process.wait()
  }

  /// See server.py.
  func behave(_ manners: String) throws {
    try manners.write(toFile: home.path + "/manners", atomically: true, encoding: .utf8)
  }

  var log: [String] {
    let text = try? String(contentsOfFile: home.path + "/log", encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }
}
