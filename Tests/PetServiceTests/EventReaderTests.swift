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
}
