// SPDX-License-Identifier: Apache-2.0
import NIOCore
import PetAPI
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
    let (one, other) = (try conversation(apart), try conversation(together))
    #expect(one.instructions == other.instructions && one.turns == other.turns && one.message == other.message)
    #expect(one.instructions == "a\n\nd" && one.message == "g\n\n")
  }

  @Test("more messages than any context holds are refused however short they are, and so are calls of megabytes")
  func tooLong() throws {
    let (user, assistant) = (message("user", ""), message("assistant", ""))
    let turns = Array(repeating: "\(user), \(assistant)", count: 1 << 12)
    _ = try conversation(turns.dropLast() + [user])
    #expect { try conversation(turns + [user]) } throws: {
      ($0 as? ServiceError)?.message == "a request may have at most 8192 messages; this one has 8193"
        && ($0 as? ServiceError)?.code == "context_length_exceeded"
    }
    let arguments = String(repeating: "a", count: 1 << 20)
    let call = #"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "\#(arguments)"}}"#
    #expect { try conversation([user, #"{"role": "assistant", "tool_calls": [\#(call)]}"#, user]) } throws: {
      ($0 as? ServiceError)?.code == "context_length_exceeded"
    }
  }

  @Test(
    "a history that nobody can go on with is refused with the field that lacks",
    arguments: [
      ([], "messages", "messages must hold at least one message"),
      ([#"{"role": "user"}"#], "messages[0].content", "messages[0].content is missing"),
      ([#"{"role": "user", "content": null}"#], "messages[0].content", "messages[0].content is missing"),
      (
        [#"{"role": "user", "content": "a"}"#, #"{"role": "assistant"}"#, #"{"role": "user", "content": "b"}"#],
        "messages[1].content", "messages[1].content is missing"
      ),
      (
        [#"{"role": "user", "content": "a"}"#, call, #"{"role": "user", "content": "b"}"#],
        "messages[1].tool_calls[0]",
        "messages[1].tool_calls[0] has no result: a message of role tool must follow with its id"
      ),
      (
        [#"{"role": "user", "content": "a"}"#, call, #"{"role": "tool", "tool_call_id": "9", "content": "b"}"#],
        "messages[2].tool_call_id",
        "messages[2].tool_call_id names no call in the tool_calls of an assistant's message before it"
      ),
      (
        [#"{"role": "user", "content": "a"}"#, call, #"{"role": "tool", "content": "b"}"#], "messages[2].tool_call_id",
        "messages[2].tool_call_id is missing: a tool's message names the call that it answers"
      ),
      (
        [#"{"role": "user", "content": "a"}"#, call, result, result], "messages[3].tool_call_id",
        "messages[3].tool_call_id names no call of the message before it that is still to be answered"
      ),
      (
        [
          #"{"role": "user", "content": "a"}"#,
          #"{"role": "assistant", "tool_calls": [\#(calledFunction), \#(calledFunction)]}"#, result,
        ], "messages[1].tool_calls[1].id", "messages[1].tool_calls[1].id is that of another call of the message"
      ),
      (
        [#"{"role": "user", "content": "a"}"#, #"{"role": "assistant", "content": "b"}"#], "messages",
        "the last message must be the user's, or the result of a tool"
      ),
    ] as [([String], String, String)])
  func incomplete(_ messages: [String], _ field: String, _ text: String) {
    #expect { try conversation(messages) } throws: {
      ($0 as? ServiceError)?.parameter == field && ($0 as? ServiceError)?.message == text
    }
  }

  private static let calledFunction =
    #"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}"#
  private static let call = #"{"role": "assistant", "tool_calls": [\#(calledFunction)]}"#
  private static let result = #"{"role": "tool", "tool_call_id": "1", "content": "b"}"#

  @Test("results of several calls are read in the order of the calls, whichever came first")
  func orderOfResults() throws {
    func call(_ id: String, _ city: String) -> String {
      #"{"id": "\#(id)", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"\#(city)\"}"}}"#
    }
    func result(_ id: String, _ text: String) -> String {
      #"{"role": "tool", "tool_call_id": "\#(id)", "content": "\#(text)"}"#
    }
    let asked = [
      message("user", "where does it snow?"),
      #"{"role": "assistant", "content": null, "tool_calls": [\#(call("p", "Paris")), \#(call("r", "Rome"))]}"#,
    ]
    let (snow, sun) = (result("p", "snow"), result("r", "sun"))
    let (one, other) = (try conversation(asked + [snow, sun]), try conversation(asked + [sun, snow]))
    #expect(one.message == other.message && one.turns == other.turns)
    #expect(one.message.contains(/(?s)snow.*sun/))
  }

  @Test("what an assistant refused is what it said, as the client had it")
  func refusal() throws {
    for refused in [
      #"{"role": "assistant", "content": null, "refusal": "no"}"#,
      #"{"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}"#,
    ] {
      #expect(
        try conversation([message("user", "a"), refused, message("user", "b")]).turns == [.init(user: "a", reply: "no")]
      )
    }
  }

  @Test("bytes that are no UTF-8 are told with their place")
  func notUTF8() {
    var body = ByteBuffer(string: "{\n  \"é")
    body.writeBytes([0xFF])
    body.writeString("\": 1}")
    #expect { try JSON.decode(ChatRequest.self, body) } throws: {
      ($0 as? ServiceError)?.message == "the body is not JSON: line 2, column 5: the text is not UTF-8"
    }
  }

  @Test("schemas may hold ten thousand values; more than a body may have, or deeper ones, are refused with their place")
  func schemas() throws {
    func format(_ schema: String) -> String {
      #", "response_format": {"type": "json_schema", "json_schema": {"schema": \#(schema)}}"#
    }
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    let user = message("user", "hi")
    for (count, isRead) in [(10_000, true), (140_000, false)] {
      let words = Array(repeating: #""word""#, count: count).joined(separator: ",")
      let result = Result { try conversation([user], format(#"{"enum": [\#(words)]}"#)) }
      #expect(((try? result.get()) != nil) == isRead)
      if case .failure(let error) = result {
        #expect((error as? ServiceError)?.message == "the body is too large: more than 131072 values")
      }
    }
    _ = try conversation([user], format(nested(200)))
    for rest in [format(nested(300)), format(nested(100_000))] {
      #expect { try conversation([user], rest) } throws: {
        ($0 as? ServiceError)?.message == "the body is not JSON: it nests deeper than 256 levels"
      }
    }
  }

  @Test(
    "a body that is no JSON is refused with the place and the reason, and never with what stood there",
    arguments: [
      (#"{"messages": [{"role": "user", "content": "a\qSECRET"}]}"#, "line 1, column 47: unknown escape"),
      (#"{"messages": [{"role": "user", "content": "\ud83dSECRET"}]}"#, "line 1, column 50: half of a surrogate pair"),
      ("{\n  \"messages\": [],\n  \"messages\": []}", "line 3, column 3: a key is given twice"),
      (#"{"messages": [{"role": "user" "content": "SECRET"}]}"#, "line 1, column 31: expected , or } in an object"),
      (#"{"messages": []} SECRET"#, "line 1, column 18: text after the value"),
      ("", "line 1, column 1: expected a JSON value"),
      (#"{"messages": [{"content": "SECRET"#, "line 1, column 34: a string is not closed"),
    ])
  func syntax(_ body: String, _ reason: String) {
    #expect { try JSON.decode(ChatRequest.self, ByteBuffer(string: body)) } throws: {
      ($0 as? ServiceError)?.message == "the body is not JSON: \(reason)"
        && ($0 as? ServiceError)?.code == "invalid_json"
    }
  }

  @Test(
    "a field of another type is told with its place and with what it should be",
    arguments: [
      (#""content": 4"#, "messages[0].content", "messages[0].content must be a text, or a list of parts of one"),
      (#""content": [{"type": "text"}]"#, "messages[0].content[0].text", "messages[0].content[0].text is missing"),
      (
        #""content": [{"type": "input_audio"}]"#, "messages[0].content[0].type",
        "messages[0].content[0]: only parts of text are understood"
      ),
      (#""content": "a", "tool_calls": {}"#, "messages[0].tool_calls", "messages[0].tool_calls must be a list"),
      (
        #""content": "a", "function_call": {"name": "f"}"#, "messages[0].function_call",
        "messages[0].function_call is not supported; give tool_calls"
      ),
    ])
  func types(_ fields: String, _ place: String, _ message: String) {
    #expect { try conversation([#"{"role": "user", \#(fields)}"#]) } throws: {
      ($0 as? ServiceError)?.parameter == place && ($0 as? ServiceError)?.message == message
    }
  }
}
