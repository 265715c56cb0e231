// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1
import PetService
import Testing

/// What is too long for any context, by its length alone.
@Suite("Texts of megabytes")
struct LongTextTests {
  @Test(
    "are refused before they are read",
    arguments: [
      ("/v1/chat/completions", "messages"), ("/v1/completions", "prompt"), ("/v1/embeddings", "input"),
      ("/pet/completions", "prompt"),
    ])
  func refused(_ path: String, _ field: String) async throws {
    let service = try await TestService()
    defer { service.remove() }
    let text = String(repeating: "word ", count: 150_000)
    let value = field == "messages" ? #"[{"role": "user", "content": "\#(text)"}]"# : #""\#(text)""#
    let answer = try await service.ask(.POST, path, #"{"\#(field)": \#(value)}"#)
    #expect(answer.status == 400 && answer.text.contains("context_length_exceeded"), "\(answer.text)")
  }
}

@Suite("Completions in the form of OpenAI's API")
struct CompletionTests {
  private let service: TestService

  init() async throws { service = try await TestService(in: "/nowhere") }

  private func ask(
    _ path: String, _ body: String? = nil, method: HTTPMethod = .POST, user: UInt32 = 1000
  ) async throws -> (status: UInt, text: String) {
    try await service.ask(method, path, body ?? "", user: user)
  }

  private func object(_ text: String) throws -> [String: JSONNode] {
    try JSONNode.object(text)
  }

  private let chat = """
    {"model": "pet-nano", "temperature": 0, "max_tokens": 24, "messages": [
      {"role": "system", "content": "Mochi, cat-dragon, playful and warm\\nfed, awake, fine"},
      {"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello! {happy; wave}"},
      {"role": "user", "content": [{"type": "text", "text": "are you "}, {"type": "text", "text": "hungry?"}]}]
    """

  @Test("a reply, whole and in chunks, is the same")
  func chats() async throws {
    let (status, text) = try await ask("/v1/chat/completions", chat + "}")
    #expect(status == 200, "\(text)")
    let whole = try object(text)
    #expect(whole["object"]?.text == "chat.completion" && whole["model"]?.text == "pet-nano")
    let choice = try #require(whole["choices"]?.items.first)
    let content = try #require(choice["message"]?["content"]?.text)
    #expect(choice["message"]?["role"]?.text == "assistant" && !content.isEmpty)
    #expect(["stop", "length"].contains(choice["finish_reason"]?.text))
    let usage = try #require(whole["usage"])
    let (prompt, completion) = (usage["prompt_tokens"]?.number ?? 0, usage["completion_tokens"]?.number ?? 0)
    #expect(prompt > 20 && (1...24).contains(completion) && usage["total_tokens"]?.number == prompt + completion)

    let (streamStatus, stream) = try await ask(
      "/v1/chat/completions", chat + #", "stream": true, "stream_options": {"include_usage": true}}"#)
    #expect(streamStatus == 200)
    let events = stream.split(separator: "\n\n").map { String($0.dropFirst("data: ".count)) }
    #expect(events.last == "[DONE]")
    let chunks = try events.dropLast().map { try object($0) }
    #expect(chunks.first?["choices"]?.items.first?["delta"]?["role"]?.text == "assistant")
    let pieces = chunks.compactMap { $0["choices"]?.items.first?["delta"]?["content"]?.text }
    #expect(pieces.joined() == content && pieces.count > 2)
    #expect(chunks.dropLast().last?["choices"]?.items.first?["finish_reason"]?.text == choice["finish_reason"]?.text)
    #expect(chunks.last?["usage"]?["prompt_tokens"]?.number == prompt && chunks.last?["choices"]?.items.isEmpty == true)
    #expect(events.dropLast(2).allSatisfy { $0.contains(#""usage":null"#) })
    // What was read for the first is not read again.
    #expect(chunks.last?["usage"]?["prompt_tokens_details"]?["cached_tokens"]?.number ?? 0 > 10)
  }

  @Test("seeds, stops and schemas are minded")
  func options() async throws {
    let base = #"{"messages": [{"role": "user", "content": "tell me of the sea"}], "max_tokens": 20"#
    let first = try await ask("/v1/chat/completions", base + #", "temperature": 1.5, "seed": 7}"#).text
    let again = try await ask("/v1/chat/completions", base + #", "temperature": 1.5, "seed": 7}"#).text
    let other = try await ask("/v1/chat/completions", base + #", "temperature": 1.5, "seed": 8}"#).text
    func content(_ text: String) throws -> String? {
      try object(text)["choices"]?.items.first?["message"]?["content"]?.text
    }
    #expect(try content(first) == content(again))
    #expect(try content(first) != content(other))
    // Several of one seed are those of no other.
    let two = try object(
      try await ask("/v1/chat/completions", base + #", "temperature": 1.5, "seed": 7, "n": 2}"#).text)
    let drawn = two["choices"]?.items.map { $0["message"]?["content"]?.text } ?? []
    let (alone, next) = (try content(first), try content(other))
    #expect(drawn.count == 2 && drawn[0] == alone && drawn[1] != alone && drawn[1] != next)
    let stopped = try await ask("/v1/chat/completions", base + #", "temperature": 0, "stop": ["e"]}"#).text
    #expect(try content(stopped)?.contains("e") == false)
    let form = try await ask(
      "/v1/chat/completions",
      #"{"messages": [{"role": "user", "content": "how old?"}], "max_tokens": 40, "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0, "maximum": 99}}, "required": ["age"], "additionalProperties": false}}}}"#
    ).text
    let age = try object(try #require(try content(form)))["age"]?.number
    #expect((0...99).contains(age ?? -1))
  }

  @Test("texts are continued as they stand; models are listed; health needs no model")
  func others() async throws {
    let health = try await ask("/health", method: .GET)
    #expect(health.status == 200 && health.text.contains(#""loaded":false"#))
    let text = try await ask("/v1/completions", #"{"prompt": "Once upon a", "max_tokens": 8, "temperature": 0}"#)
    #expect(text.status == 200)
    #expect(try object(text.text)["choices"]?.items.first?["text"]?.text?.isEmpty == false)
    #expect(try await ask("/health", method: .GET).text.contains(#""loaded":true"#))
    let list = try object(try await ask("/v1/models", method: .GET).text)
    #expect(list["data"]?.items.map { $0["id"]?.text } == ["pet-nano"])
    #expect(try await ask("/v1/models/pet-nano", method: .GET).status == 200)
    #expect(try object(try await ask("/v1/models/default", method: .GET).text)["id"]?.text == "pet-nano")
    #expect(try await ask("/v1/models/other", method: .GET).status == 404)
    let figures = try await ask("/metrics", method: .GET).text
    #expect(
      figures.contains(#"pet_http_requests_total{route="/v1/models/{model}",status="404"} 1"# + "\n"), "\(figures)")
  }

  @Test(
    "what cannot be answered is refused in OpenAI's form, with the field, and never with what was said",
    arguments: [
      ("{", 400, nil), ("[]", 400, nil), (String(repeating: "[", count: 100_000), 400, nil), ("\u{0}", 400, nil),
      (#"{"messages": "SECRET"}"#, 400, "messages"), (#"{"messages": []}"#, 400, "messages"),
      (#"{"messages": [{"role": "SECRET", "content": "SECRET"}]}"#, 400, "messages[0].role"),
      (
        #"{"messages": [{"role": "user", "content": "SECRET"}, {"role": "assistant", "content": "x"}]}"#, 400,
        "messages"
      ),
      (#"{"model": "gpt-4o", "messages": [{"role": "user", "content": "SECRET"}]}"#, 404, "model"),
      (#"{"messages": [{"role": "user", "content": "SECRET"}], "temperature": 3}"#, 400, "temperature"),
      (#"{"messages": [{"role": "user", "content": "SECRET"}], "max_tokens": 0}"#, 400, "max_tokens"),
      (#"{"messages": [{"role": "user", "content": "SECRET"}], "max_tokens": 1e99}"#, 400, "max_tokens"),
      (
        #"{"messages": [{"role": "user", "content": "SECRET"}], "max_tokens": -9223372036854775808}"#, 400, "max_tokens"
      ),
      (#"{"messages": [{"role": "user", "content": "SECRET"}], "n": 9}"#, 400, "n"),
      (#"{"messages": [{"role": "user", "content": "SECRET"}], "seed": -1.5}"#, 400, "seed"),
      (#"{"messages": [{"role": "user", "content": "SECRET"}], "stop": [""]}"#, 400, "stop"),
      (
        #"{"messages": [{"role": "user", "content": [{"type": "image_url", "text": "SECRET"}]}]}"#, 400,
        "messages[0].content[0].type"
      ),
      (
        #"{"messages": [{"role": "user", "content": "SECRET"}], "response_format": {"type": "xml"}}"#, 400,
        "response_format.type"
      ),
      (
        #"{"messages": [{"role": "user", "content": "SECRET"}], "response_format": {"type": "json_schema"}}"#, 400,
        "response_format.json_schema.schema"
      ),
    ] as [(String, UInt, String?)])
  func refused(_ body: String, _ status: UInt, _ parameter: String?) async throws {
    let answer = try await ask("/v1/chat/completions", body)
    #expect(answer.status == status && !answer.text.contains("SECRET"), "\(answer.text)")
    let error = try #require(try object(answer.text)["error"])
    #expect(error["param"]?.text == parameter, "\(answer.text)")
    #expect(error["message"]?.text?.isEmpty == false && error["type"]?.text?.hasSuffix("_error") == true)
  }

  @Test("numbers of tokens are refused by their name, and an id of a call on another's message is told as not read")
  func misplaced() async throws {
    for prompt in ["[1, 2, 3]", "[[1, 2], [3]]"] {
      let answer = try await ask("/v1/completions", #"{"prompt": \#(prompt)}"#)
      #expect(answer.status == 400 && answer.text.contains("numbers of tokens"), "\(answer.text)")
    }
    let message = #"{"role": "user", "content": "hi", "tool_call_id": "call_1"}"#
    let answer = try await ask("/v1/chat/completions", #"{"messages": [\#(message)], "max_tokens": 4}"#)
    let ignored = try object(answer.text)["pet"]?["ignored"]?.items.compactMap(\.text)
    #expect(answer.status == 200 && ignored == ["messages[0].tool_call_id"], "\(answer.text)")
  }

  /// CVE-2026-21869: a negative `n_discard` moved keys and values to where there was no memory.
  @Test("fields of other servers, however far they would reach, do nothing")
  func othersFields() async throws {
    let plain = #"{"prompt": "The sea", "max_tokens": 3, "temperature": 0"#
    let answer = try await ask("/v1/completions", plain + "}")
    for fields in [#""n_discard": -1, "n_keep": -5"#, #""id_slot": -9223372036854775808, "cache_tokens": [-1]"#] {
      let other = try await ask("/v1/completions", plain + ", " + fields + "}")
      #expect(other.status == 200)
      let texts = try [answer, other].map { try object($0.text)["choices"]?.items.first?["text"]?.text }
      #expect(texts[0] != nil && texts[0] == texts[1])
    }
  }

  @Test("a message that no context holds, other methods, other paths, other people")
  func impossible() async throws {
    let long = String(repeating: "sea ", count: 3000)
    let answer = try await ask("/v1/chat/completions", #"{"messages": [{"role": "user", "content": "\#(long)"}]}"#)
    #expect(answer.status == 400 && answer.text.contains("context_length_exceeded") && !answer.text.contains("sea sea"))
    #expect(try await ask("/v1/chat/completions", method: .GET).status == 405)
    #expect(try await ask("/v2/nothing", "{}").status == 404)
    #expect(try await ask("/health", method: .GET, user: 1001).status == 403)
    let page = try await service.respond(
      .GET, "/v1/models", headers: ["host": "127.0.0.1:8080", "origin": "http://localhost:3000"],
      transport: .loopback(port: 8080))
    guard case .bytes(let bytes) = page.body else { throw CancellationError() }
    #expect(page.status == .forbidden && String(buffer: bytes).contains("Origin header is not this server's own"))
  }
}
