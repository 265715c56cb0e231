import Foundation
import Glibc
import RawClient
import Testing

@Suite("petd")
struct DaemonTests {
  /// A running `petd` with a home of its own.
  private final class Daemon: Sendable {
    let home: TemporaryHome
    let process: SpawnedProcess
    var socket: String { home.path + "/petd.sock" }
    var log: String { (try? String(contentsOfFile: home.path + "/log", encoding: .utf8)) ?? "" }

    init(_ arguments: [String] = [], in home: TemporaryHome? = nil) async throws {
      self.home = try home ?? TemporaryHome()
      let home = self.home
      let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
      let log = open(home.path + "/log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
      defer { [input, log].forEach { close($0) } }
      process = try SpawnedProcess(
        PetBinary.path + "d", ["--profile", "watch"] + arguments,
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path], files: (input, log, log))
      for _ in 0..<1000 where !self.log.contains("ready") { try await Task.sleep(for: .milliseconds(10)) }
      try #require(self.log.contains("ready"), "\(self.log)")
    }

    deinit { kill(process.pid, SIGKILL) }
  }

  private let question =
    #"{"messages": [{"role": "user", "content": "my SECRET word is quince"}], "max_tokens": 16, "temperature": 0}"#

  private func post(_ body: String, headers: String = "host: pet\r\n") -> String {
    "POST /v1/chat/completions HTTP/1.1\r\n\(headers)content-length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test(
    "answers its owner on a Unix socket, tells nothing of it in its log, and ends what is under way when asked to stop")
  func life() async throws {
    let daemon = try await Daemon()
    let client = try RawClient(daemon.socket)
    #expect(await client.exchange("GET /health HTTP/1.1\r\nhost: pet\r\n\r\n").contains(#""status":"ready""#))
    let answer = await client.exchange(post(question))
    #expect(answer.contains(#""role":"assistant""#) && answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    let streaming = try RawClient(daemon.socket)
    await streaming.send(post(question.dropLast() + #", "stream": true}"#))
    _ = await streaming.receive(until: "data: ")
    kill(daemon.process.pid, SIGTERM)
    #expect(await streaming.receive().contains("data: [DONE]"))
    #expect(await daemon.process.waitBriefly() == 0)
    #expect(throws: RawClient.Failure.self) { try RawClient(daemon.socket) }
    #expect(daemon.log.contains("stopped") && !daemon.log.contains("SECRET") && !daemon.log.contains("quince"))
    #expect(daemon.log.components(separatedBy: "request").count > 3, "\(daemon.log)")
  }

  @Test("over TCP only with the token, and only under this machine's names; every refusal is a line in the log")
  func tokens() async throws {
    let daemon = try await Daemon(["--port", "0"])
    let port = try #require(daemon.log.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.1)
    let token = try String(contentsOfFile: daemon.home.path + "/petd.token", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    let mode = try FileManager.default.attributesOfItem(atPath: daemon.home.path + "/petd.token")[.posixPermissions]
    #expect(token.count == 64 && mode as? Int == 0o600)
    let right = "authorization: Bearer \(token)\r\n"
    for (headers, status) in [
      ("host: 127.0.0.1:\(port)\r\n" + right, 200), ("host: localhost:\(port)\r\n" + right, 200),
      ("host: localhost:\(port)\r\n", 401), ("host: localhost:\(port)\r\nauthorization: Bearer SECRET\r\n", 401),
      ("host: evil.example\r\n" + right, 403),
      ("host: localhost:\(port)\r\norigin: http://evil.example\r\n" + right, 403),
    ] {
      let client = try RawClient(port: try #require(UInt16(port)))
      let answer = await client.exchange("GET /health HTTP/1.1\r\n\(headers)\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(headers): \(answer)")
    }
    let lines = daemon.log.split(separator: "\n").filter { $0.contains("request") }
    #expect(lines.count == 6 && !daemon.log.contains("SECRET") && !daemon.log.contains(token), "\(daemon.log)")
    #expect(lines.count { $0.contains("status=401") } == 2 && lines.count { $0.contains("status=403") } == 2)
  }

  @Test("a second one finds the first, options that make no sense are refused, and help tells what there is")
  func refusals() async throws {
    let daemon = try await Daemon()
    let path = PetBinary.path + "d"
    func run(_ arguments: [String]) throws -> PetBinary.Result {
      try PetBinary.run(
        executable: path, arguments, environment: ["PATH": "/usr/bin:/bin", "PET_HOME": daemon.home.path])
    }
    let second = try run(["--profile", "watch"])
    #expect(second.status == 70 && second.error.contains("another petd answers there"))
    #expect(try run(["--port", "70000"]).status == 2)
    #expect(try run(["--profile", "toaster"]).status == 2)
    #expect(try run(["--model", "/nowhere.gguf"]).status == 3)
    let help = try run(["--help"])
    #expect(help.status == 0 && help.output.contains("--socket") && help.output.contains("petd --profile watch"))
    #expect(try run(["--version"]).output.hasPrefix("petd "))
    // What a killed one leaves is taken.
    kill(daemon.process.pid, SIGKILL)
    #expect(await daemon.process.waitBriefly() == -SIGKILL)
    let next = try await Daemon(in: daemon.home)
    #expect(try await RawClient(next.socket).exchange("GET /health HTTP/1.1\r\nhost: pet\r\n\r\n").contains("ready"))
  }
}
