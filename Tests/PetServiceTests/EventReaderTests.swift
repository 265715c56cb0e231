// SPDX-License-Identifier: Apache-2.0
import Glibc
import Logging
import PetRuntime
import PetService
import Testing

@Suite("Server-sent events, read")
struct EventReaderTests {
  private let stream =
    ": hello\n\nevent: token\ndata: {\"text\":\"a\"}\n\ndata: one\r\ndata: two\r\n\r\nevent: none\n\nid: 7\ndata:x\n\n"

  @Test("comes apart the same wherever it is cut", arguments: 1...7)
  func pieces(_ size: Int) {
    var reader = EventReader()
    var events: [EventReader.Event] = []
    var rest = Array(stream.utf8)[...]
    while !rest.isEmpty {
      events += reader.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    #expect(
      events == [
        .init(name: "token", data: #"{"text":"a"}"#), .init(name: "message", data: "one\ntwo"),
        .init(name: "message", data: "x"),
      ])
    #expect(events.first?.value([String: String].self) == ["text": "a"])
    #expect(events.last?.value([String: String].self) == nil)
  }

  @Test("an event of any number of lines takes no more than the largest there may be")
  func endless() {
    var reader = EventReader()
    let line = Array(("data: " + String(repeating: "x", count: 1 << 16) + "\n").utf8)
    let early = (0..<200).flatMap { _ in reader.append(line) }
    #expect(early.isEmpty)
    let events = reader.append("\n".utf8)
    #expect(events.count == 1 && (events.first?.data.utf8.count ?? 0) < 5 << 20)
    let next = reader.append("data: next\n\n".utf8)
    #expect(next == [.init(name: "message", data: "next")])
  }

  @Test("a stream that breaks off is told as petd that went away", .timeLimit(.minutes(1)))
  func brokenOff() async throws {
    struct Gone: Error {}
    let path = "/tmp/pet-events-\(UInt64.random(in: 0 ... .max)).sock"
    let server = HTTPServer(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { _ in
      .events { writer in
        try await writer.write("event: token\ndata: {\"text\":\"a\"}\n\n")
        throw Gone()
      }
    }
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    let running = Task { try await server.run([.unix(path: path)]) { _ in isReady.finish() } }
    for await _ in ready {}
    var isBroken = false
    do {
      let _: [String: String] = try await ServiceClient(LocalService(socket: path, home: nil)).answer("/", nil) { _ in }
    } catch ServiceClient.Failure.broken {
      isBroken = true
    }
    #expect(isBroken)
    server.drain()
    try await running.value
    unlink(path)
  }
}
