// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import RawClient
import Testing

/// A running `petd` with a home of its own.
final class RunningDaemon: Sendable {
  let home: TemporaryHome
  let process: SpawnedProcess
  var socket: String { home.path + "/petd.sock" }
  var log: String { (try? String(contentsOfFile: home.path + "/log", encoding: .utf8)) ?? "" }

  /// - Parameters:
  ///   - listener: a socket that listens, handed over as systemd does: as descriptor 3.
  ///   - input: what it has as standard input; nil: nothing.
  ///   - wrapper: a program that starts it.
  init(
    _ arguments: [String] = [], in home: TemporaryHome? = nil, environment: [String: String] = [:],
    listener: Int32? = nil, input given: Int32? = nil, wrapper: [String] = []
  ) async throws {
    self.home = try home ?? TemporaryHome()
    let home = self.home
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let log = open(home.path + "/log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
    defer { [input, log].forEach { close($0) } }
    let words = wrapper + [PetBinary.path + "d", "--profile", "watch"] + arguments
    let script =
      listener == nil ? "" : "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$; export LISTEN_FDS LISTEN_PID; "
    process = try SpawnedProcess(
      "/bin/sh", ["-c", script + #"exec "$0" "$@""#] + words,
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path].merging(environment) { $1 },
      files: (listener ?? given ?? input, log, log))
    try await wait(for: "ready")
  }

  /// A program that a wrapper has started goes on when the wrapper is killed.
  deinit {
    let started = try? String(contentsOfFile: "/proc/\(process.pid)/task/\(process.pid)/children", encoding: .utf8)
    for pid in (started ?? "").split(separator: " ").compactMap({ pid_t($0) }) + [process.pid] { kill(pid, SIGKILL) }
  }

  /// For a word in the log.
  func wait(for word: String) async throws {
    for _ in patience where !log.contains(word) { try await Task.sleep(for: .milliseconds(10)) }
    try #require(log.contains(word), "\(log)")
  }

  func get(_ path: String) async throws -> String {
    try await RawClient(socket).exchange("GET \(path) HTTP/1.1\r\nhost: pet\r\n\r\n")
  }

  func post(_ path: String, _ body: String) async throws -> String {
    try await RawClient(socket).exchange(Self.post(path, body))
  }

  static func post(_ path: String, _ body: String) -> String {
    "POST \(path) HTTP/1.1\r\nhost: pet\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}
