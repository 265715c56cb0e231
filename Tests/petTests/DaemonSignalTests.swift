// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetService
import RawClient
import Testing

@Suite("petd under a service manager")
struct DaemonSignalTests {
  /// What a service manager hears.
  private final class Listener: Sendable {
    let path = "/tmp/pet-notify-\(UInt64.random(in: 0 ... .max)).sock"
    private let descriptor: Int32

    init() throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(bound == 0)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
      close(descriptor)
      unlink(path)
    }

    private func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// All messages that came and were not heard yet.
    func heard() -> [String] {
      var messages: [String] = []
      while let message = next() { messages.append(message) }
      return messages
    }

    /// Within a minute, a message that begins so.
    func hears(_ word: String) async throws -> Bool {
      for _ in 0..<6000 {
        if let message = next() {
          if message.hasPrefix(word) { return true }
        } else {
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      return false
    }
  }

  @Test("Ctrl-C stops it as TERM does, and the exit code is 0", arguments: [SIGINT, SIGTERM])
  func stops(signal: Int32) async throws {
    let daemon = try await RunningDaemon()
    kill(daemon.process.pid, signal)
    #expect(await daemon.process.waitBriefly() == 0)
    #expect(daemon.log.contains("stopped"), "\(daemon.log)")
  }

  @Test("says when it is ready, that it lives, that it reads its settings again, and that it stops")
  func notifies() async throws {
    let manager = try Listener()
    let daemon = try await RunningDaemon(
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
    #expect(try await manager.hears("READY=1"))
    #expect(try await manager.hears("WATCHDOG=1"))
    kill(daemon.process.pid, SIGHUP)
    #expect(try await manager.hears("RELOADING=1"))
    #expect(try await manager.hears("READY=1"))
    try await daemon.wait(for: "reloaded")
    kill(daemon.process.pid, SIGTERM)
    #expect(try await manager.hears("STOPPING=1"))
    #expect(await daemon.process.waitBriefly() == 0)
  }

  @Test("USR1 gives the model back, USR2 loads it again; a setting that is refused at HUP leaves the old one serving")
  func lifecycle() async throws {
    let daemon = try await RunningDaemon()
    var isBack = false
    // Where the machine is short of memory meanwhile, it has nothing to give back, or loads it for a moment only.
    for _ in 0..<10 where !isBack {
      #expect(try await daemon.post("/pet/models/load", "").contains("200 OK"))
      kill(daemon.process.pid, SIGUSR1)
      #expect(try await comes("notLoaded", daemon))
      kill(daemon.process.pid, SIGUSR2)
      isBack = try await comes("loaded", daemon)
    }
    #expect(isBack)
    try await daemon.wait(for: "background")
    try "threads = 1\nnonsense = 7\n".write(
      toFile: daemon.home.path + "/config.toml", atomically: true, encoding: .utf8)
    kill(daemon.process.pid, SIGHUP)
    try await daemon.wait(for: "not reloaded")
    #expect(try await daemon.get("/health").contains("ready"))
  }

  /// Within five seconds.
  private func comes(_ state: String, _ daemon: RunningDaemon) async throws -> Bool {
    for _ in 0..<500 {
      if try await daemon.get("/pet/models").contains(#""state":"\#(state)""#) { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test("who stops is not ready again, whatever ends meanwhile")
  func lastWord() throws {
    let listener = try Listener()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.path])
    manager.ready()
    manager.stopping()
    manager.reloading()
    manager.ready()
    manager.alive()
    #expect(listener.heard() == ["READY=1", "STOPPING=1", "WATCHDOG=1"])
  }

  @Test(
    "a watchdog hears twice as often as it must, however long it waits",
    arguments: [("200000", 100_000), ("7200000000", 3_600_000_000), ("0", nil), ("-2", nil), ("soon", nil)]
      as [(String, Int64?)])
  func watchdog(_ limit: String, _ half: Int64?) {
    let manager = ServiceManager(environment: ["WATCHDOG_USEC": limit])
    #expect(manager.watchdogInterval == half.map { Duration.microseconds($0) })
  }

  @Test("begins to stop at once, also where another signal waits for replies that are under way")
  func stopsAtOnce() async throws {
    let daemon = try await RunningDaemon()
    var clients: [RawClient] = []
    // Where this test was held up the first of them may have their replies already.
    while clients.count < 200, try await !daemon.get("/pet/models").contains(/"users":[1-9]/) {
      let new = try (0..<4).map { _ in try RawClient(daemon.socket) }
      for client in new {
        await client.send(
          RunningDaemon.post(
            "/pet/completions",
            #"{"prompt": "Once", "max_tokens": 100000, "temperature": 1, "grammar": "root ::= [a-z ]{1800}"}"#))
      }
      clients += new
    }
    kill(daemon.process.pid, SIGUSR1)
    try await daemon.wait(for: "background")
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
    let log = daemon.log
    let stopping = try #require(log.range(of: "stopping"))
    let answered = try #require(log.range(of: "/pet/completions", options: .backwards))
    #expect(stopping.lowerBound < answered.lowerBound, "\(log)")
    withExtendedLifetime(clients) {}
  }

  @Test("what answers a message with a key is kept, though its sender has gone and it is asked to stop meanwhile")
  func keepsAnswers() async throws {
    let daemon = try await RunningDaemon()
    let path = "/pet/sessions/mochi.tea"
    let begun = try await RawClient(daemon.socket).exchange(
      "PUT \(path) HTTP/1.1\r\nhost: pet\r\ncontent-length: 2\r\n\r\n{}")
    #expect(begun.hasPrefix("HTTP/1.1 200"), "\(begun)")
    let body = #"{"text": "Your kettle has a lid of brass."}"#
    let client = try RawClient(daemon.socket)
    await client.send(
      "POST \(path)/messages HTTP/1.1\r\nhost: pet\r\nidempotency-key: k\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    // It is being made; where this test was held up it has been made.
    for _ in 0..<5000 {
      if try await daemon.get("/pet/models").contains(#""users":1"#) || daemon.log.contains("/messages") { break }
      try await Task.sleep(for: .milliseconds(1))
    }
    client.close()
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
    let file = daemon.home.path + "/pets/mochi/conversations/tea.json"
    let kept = try KeptConversation.text(file)
    #expect(kept.contains("receipt") && kept.contains("lid of brass"), "\(kept)")
    let next = try await RunningDaemon(in: daemon.home)
    #expect(try await next.get(path).contains(#""turns":1"#))
  }

  @Test("a socket that somebody opened for it is listened to, and stays when it ends")
  func inherits() async throws {
    let path = "/tmp/pet-inherited-\(UInt64.random(in: 0 ... .max)).sock"
    defer { unlink(path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && listen(descriptor, 8) == 0)
    let daemon = try await RunningDaemon(listener: descriptor)
    #expect(try await RawClient(path).exchange("GET /health HTTP/1.1\r\nhost: pet\r\n\r\n").contains("ready"))
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
