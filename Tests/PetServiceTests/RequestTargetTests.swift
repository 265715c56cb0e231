// SPDX-License-Identifier: Apache-2.0
import PetService
import Testing

@Suite("What a request asks for")
struct RequestTargetTests {
  @Test("names and values, without escapes")
  func read() throws {
    let target = try RequestTarget("/pet/sessions/caf%C3%A9//x?a=1&b=%20&a=2&c&d=e=f")
    #expect(target.path == ["pet", "sessions", "café", "x"])
    #expect(target.query == ["a": "1", "b": " ", "c": "", "d": "e=f"])
    #expect(try RequestTarget("/").path.isEmpty)
  }

  @Test(
    "what would leave its folder, or is no path, is refused",
    arguments: [
      ("/../etc/passwd", RequestTarget.Failure.traversal), ("/a/%2e%2e/b", .traversal), ("/a%2fb", .traversal),
      ("/a%5cb", .traversal), ("/./a", .traversal), ("http://elsewhere/", .notAPath), ("*", .notAPath), ("", .notAPath),
      ("/%", .malformed), ("/%g0", .malformed), ("/%ff", .malformed), ("/%00", .malformed), ("/?a=%0a", .malformed),
      ("/" + String(repeating: "a", count: 2048), .tooLong),
    ])
  func refused(_ text: String, _ failure: RequestTarget.Failure) {
    #expect(throws: failure) { try RequestTarget(text) }
  }
}
