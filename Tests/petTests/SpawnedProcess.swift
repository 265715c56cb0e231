// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization
import Testing

/// A program under test.
///
/// Not Foundation's `Process`: that learns of the end from a socket which every process started meanwhile holds open too, so that
/// waiting for a short one can depend on a long one (swift-corelibs-foundation, Process.swift).
final class SpawnedProcess: Sendable {
  let pid: pid_t
  private let ended = Mutex<Int32?>(nil)

  /// - Parameter files: the child's standard input, output and error.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String], files: (Int32, Int32, Int32)
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, file) in [files.0, files.1, files.2].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, file, Int32(descriptor))
    }
    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    // What the tests of a slower CPU's kernels start runs those too.
    let kernels = ProcessInfo.processInfo.environment["PET_KERNELS"].map { ["PET_KERNELS": $0] } ?? [:]
    var variables = environment.merging(kernels) { given, _ in given }.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, executable, &actions, nil, &words, &variables)
    try #require(failure == 0, "\(executable): \(String(cString: strerror(failure)))")
    pid = child
  }

  /// Its exit status, or minus the number of the signal that ended it. Blocks; what does not end within ten minutes is killed:
  /// kernels of slow CPUs take that many times as long.
  func wait() -> Int32 {
    for _ in 0..<300_000 {
      if let status = poll() { return status }
      usleep(2000)
    }
    return stop()
  }

  /// As `wait`, without holding a thread, for a minute.
  func waitBriefly() async -> Int32 {
    for _ in patience {
      if let status = poll() { return status }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return stop()
  }

  /// Nobody is left behind, not even as a zombie: the test library waits for children of its own, and meets those.
  deinit {
    guard poll() == nil else { return }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  private func stop() -> Int32 {
    Issue.record("the program did not end by itself")
    kill(pid, SIGKILL)
    return ended.withLock { ended in
      var status: Int32 = 0
      waitpid(pid, &status, 0)
      ended = -SIGKILL
      return -SIGKILL
    }
  }

  private func poll() -> Int32? {
    ended.withLock { ended in
      if let ended { return ended }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
      let signal = status & 0x7f
      ended = signal == 0 ? status >> 8 & 0xff : -signal
      return ended
    }
  }
}
