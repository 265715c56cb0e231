import NIOCore
import PetService
import Testing

@Suite("Bodies of chat requests")
struct ChatRequestTests {
  private func conversation(_ messages: [String], _ rest: String = "") throws -> ChatRequest.Conversation {
    let body = #"{"messages": [\#(messages.joined(separator: ", "))]\#(rest)}"#
    return try JSON.decode(ChatRequest.self, ByteBuffer(string: body)).conversation()
  }

  private func message(_ role: String, _ text: String) -> String { #"{"role": "\#(role)", "content": "\#(text)"}"# }

  @Test("messages of one role in a row are one")
  func joined() throws {
    let apart = [
      message("system", "a"), message("user", "b"), message("user", "c"), message("developer", "d"),
      message("assistant", "e"), message("assistant", "f"), message("user", "g"), message("user", ""),
    ]
    let together = [
      message("system", #"a\n\nd"#), message("user", #"b\n\nc"#), message("assistant", #"e\n\nf"#),
      message("user", #"g\n\n"#),
    ]
    #expect(try conversation(apart) == conversation(together))
  }

  @Test("more messages than any context holds are refused however short they are, and so are calls of megabytes")
  func tooLong() throws {
    let (user, assistant) = (#"{"role": "user"}"#, #"{"role": "assistant"}"#)
    let turns = Array(repeating: "\(user), \(assistant)", count: 1 << 12)
    _ = try conversation(turns.dropLast() + [user])
    #expect { try conversation(turns + [user]) } throws: {
      ($0 as? ServiceError)?.code == "context_length_exceeded"
    }
    let arguments = String(repeating: "a", count: 1 << 20)
    let call = #"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "\#(arguments)"}}"#
    #expect { try conversation([user, #"{"role": "assistant", "tool_calls": [\#(call)]}"#, user]) } throws: {
      ($0 as? ServiceError)?.code == "context_length_exceeded"
    }
  }

  @Test("schemas may hold ten thousand values; many deep ones are refused, also where several tools have them")
  func schemas() throws {
    func deep(_ width: Int) -> String {
      String(repeating: "[", count: 200) + Array(repeating: "[]", count: width).joined(separator: ",")
        + String(repeating: "]", count: 200)
    }
    func tools(_ count: Int) -> String {
      let tool = #"{"type": "function", "function": {"name": "a", "parameters": \#(deep(400))}}"#
      return #", "tools": [\#(Array(repeating: tool, count: count).joined(separator: ", "))]"#
    }
    func format(_ schema: String) -> String {
      #", "response_format": {"type": "json_schema", "json_schema": {"schema": \#(schema)}}"#
    }
    let user = message("user", "hi")
    let words = Array(repeating: #""word""#, count: 10_000).joined(separator: ",")
    _ = try conversation([user], format(#"{"enum": [\#(words)]}"#))
    _ = try conversation([user], tools(1))
    #expect { try conversation([user], tools(8)) } throws: { ($0 as? ServiceError)?.parameter == "tools" }
    #expect { try conversation([user], format(deep(4000))) } throws: {
      ($0 as? ServiceError)?.parameter == "response_format"
    }
  }
}
