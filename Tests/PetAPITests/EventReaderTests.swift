// SPDX-License-Identifier: Apache-2.0
import PetAPI
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
}
