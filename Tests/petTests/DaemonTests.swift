// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import RawClient
import Testing

@Suite("petd")
struct DaemonTests {
  private let question =
    #"{"messages": [{"role": "user", "content": "my SECRET word is quince"}], "max_tokens": 16, "temperature": 0}"#

  private func post(_ body: String) -> String { RunningDaemon.post("/v1/chat/completions", body) }

  @Test(
    "answers its owner on a Unix socket, tells nothing of it in its log, and ends what is under way when asked to stop")
  func life() async throws {
    let daemon = try await RunningDaemon()
    let client = try RawClient(daemon.socket)
    #expect(await client.exchange("GET /health HTTP/1.1\r\nhost: pet\r\n\r\n").contains(#""status":"ready""#))
    let answer = await client.exchange(post(question))
    #expect(answer.contains(#""role":"assistant""#) && answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    let streaming = try RawClient(daemon.socket)
    await streaming.send(post(question.dropLast() + #", "stream": true}"#))
    let begun = await streaming.receive(until: "data: ")
    kill(daemon.process.pid, SIGTERM)
    // All of it may have come at once.
    let stream = begun + (await streaming.receive())
    #expect(stream.contains("data: [DONE]"), "\(stream) \(daemon.log)")
    #expect(await daemon.process.waitBriefly() == 0)
    #expect(throws: RawClient.Failure.self) { try RawClient(daemon.socket) }
    #expect(daemon.log.contains("stopped") && !daemon.log.contains("SECRET") && !daemon.log.contains("quince"))
    #expect(daemon.log.components(separatedBy: "request").count > 3, "\(daemon.log)")
  }

  @Test("over TCP only with the token, and only under this machine's names; every refusal is a line in the log")
  func tokens() async throws {
    let daemon = try await RunningDaemon(["--port", "0"])
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
    // Who may not ask need not send a body to be told so.
    let early = try RawClient(port: try #require(UInt16(port)))
    let refused = await early.exchange(
      "POST /v1/completions HTTP/1.1\r\nhost: localhost:\(port)\r\ncontent-length: 8388608\r\n\r\n")
    #expect(refused.hasPrefix("HTTP/1.1 401") && refused.contains("bearer token"), "\(refused)")
    #expect(daemon.log.split(separator: "\n").contains { $0.contains("refused") && $0.contains("status=401") })
  }

  @Test("a socket may be named without a folder: it is then where petd was started")
  func socketHere() async throws {
    let elsewhere = try TemporaryHome()
    defer { withExtendedLifetime(elsewhere) {} }
    let daemon = try await RunningDaemon(
      ["--socket", "petd.sock"],
      wrapper: ["/bin/sh", "-c", #"cd '\#(elsewhere.path)' && exec "$0" "$@""#])
    let client = try RawClient(elsewhere.path + "/petd.sock")
    #expect(await client.exchange("GET /health HTTP/1.1\r\nhost: pet\r\n\r\n").contains("ready"))
    client.close()
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
  }

  @Test("a second one finds the first, options that make no sense are refused, and help tells what there is")
  func refusals() async throws {
    let daemon = try await RunningDaemon()
    let path = PetBinary.path + "d"
    func run(_ arguments: [String]) throws -> PetBinary.Result {
      try PetBinary.run(
        executable: path, arguments, environment: ["PATH": "/usr/bin:/bin", "PET_HOME": daemon.home.path])
    }
    let second = try run(["--profile", "watch"])
    #expect(second.status == 3 && second.error.contains("another petd answers there"))
    #expect(try run(["--port", "70000"]).status == 2)
    #expect(try run(["--profile", "toaster"]).status == 2)
    #expect(try run(["--model", "/nowhere.gguf"]).status == 3)
    let help = try run(["--help"])
    #expect(help.status == 0 && help.output.contains("--socket") && help.output.contains("petd --profile watch"))
    #expect(try run(["--version"]).output.hasPrefix("petd "))
    // What a killed one leaves is taken.
    kill(daemon.process.pid, SIGKILL)
    #expect(await daemon.process.waitBriefly() == -SIGKILL)
    let next = try await RunningDaemon(in: daemon.home)
    #expect(try await RawClient(next.socket).exchange("GET /health HTTP/1.1\r\nhost: pet\r\n\r\n").contains("ready"))
  }
}
