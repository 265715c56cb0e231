// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import Testing

@Suite("Tools, probabilities and embeddings in the form of OpenAI's API")
struct ToolCallTests {
  private let tools = """
    "tools": [{"type": "function", "function": {"name": "feed", "description": "Feeds the pet.", "parameters":
      {"type": "object", "properties": {"food": {"enum": ["fish", "tea"]}}, "required": ["food"],
       "additionalProperties": false}}}]
    """

  private func chat(_ rest: String, messages: String = #"{"role": "user", "content": "feed mochi some fish"}"#)
    -> String
  {
    #"{"temperature": 0, "max_tokens": 60, "messages": [\#(messages)], \#(rest)}"#
  }

  @Test("a call that is required is made, with arguments of the form that was given, whole and in chunks")
  func required() async throws {
    let service = try await TestService(in: "/nowhere")
    let body = tools + #", "tool_choice": "required""#
    let whole = try JSONNode.object(try await service.ask(.POST, "/v1/chat/completions", chat(body)).text)
    let choice = try #require(whole["choices"]?.items.first)
    let call = try #require(choice["message"]?["tool_calls"]?.items.first)
    #expect(choice["finish_reason"]?.text == "tool_calls" && call["type"]?.text == "function")
    #expect(call["function"]?["name"]?.text == "feed" && call["id"]?.text?.hasPrefix("call_") == true)
    let arguments = try #require(call["function"]?["arguments"]?.text)
    #expect(["fish", "tea"].contains(try JSONNode.object(arguments)["food"]?.text))
    let stream = try await service.ask(.POST, "/v1/chat/completions", chat(body + #", "stream": true"#)).text
    let chunks = try stream.split(separator: "\n\n").dropLast().map { try JSONNode.object(String($0.dropFirst(6))) }
    let deltas = chunks.compactMap { $0["choices"]?.items.first?["delta"] }
    #expect(deltas.compactMap { $0["content"]?.text }.joined() == "")
    #expect(deltas.dropLast().last?["tool_calls"]?.items.first?["function"]?["arguments"]?.text == arguments)
    #expect(deltas.dropLast().last?["tool_calls"]?.items.first?["index"]?.number == 0)
    let named = try await service.ask(
      .POST, "/v1/chat/completions",
      chat(tools + #", "tool_choice": {"type": "function", "function": {"name": "feed"}}"#))
    #expect(named.text.contains(#""name":"feed""#))
  }

  @Test("a call that is cut off is left out, whole and in chunks, and told of", arguments: [1, 2, 5, 20])
  func cut(_ most: Int) async throws {
    let service = try await TestService(in: "/nowhere")
    let body =
      #"{"temperature": 0, "max_tokens": \#(most), "messages": [{"role": "user", "content": "feed mochi"}], \#(tools), "tool_choice": "required""#
    let whole = try JSONNode.object(try await service.ask(.POST, "/v1/chat/completions", body + "}").text)
    let choice = try #require(whole["choices"]?.items.first)
    #expect(choice["message"]?["content"]?.text == "" && choice["message"]?["tool_calls"] == nil)
    #expect(choice["finish_reason"]?.text == "length" && whole["usage"]?["completion_tokens"]?.number == most)
    #expect(whole["pet"]?["shortened"]?.items.map(\.text) == ["choices[0]: a tool call was cut off and left out"])
    let stream = try await service.ask(.POST, "/v1/chat/completions", body + #", "stream": true}"#).text
    let chunks = try stream.split(separator: "\n\n").dropLast().map { try JSONNode.object(String($0.dropFirst(6))) }
    #expect(chunks.compactMap { $0["choices"]?.items.first?["delta"]?["content"]?.text }.joined() == "")
    #expect(chunks.last?["choices"]?.items.first?["finish_reason"]?.text == "length")
  }

  @Test("a call that a stop text ends at its first token is left out and told of")
  func stopped() async throws {
    let service = try await TestService(in: "/nowhere")
    let answer = try await service.ask(
      .POST, "/v1/chat/completions", chat(tools + ##", "tool_choice": "required", "stop": "{""##))
    let whole = try JSONNode.object(answer.text)
    #expect(whole["choices"]?.items.first?["message"]?["content"]?.text == "", "\(answer.text)")
    #expect(whole["pet"]?["shortened"]?.items.map(\.text) == ["choices[0]: a tool call was cut off and left out"])
  }

  @Test(
    "arguments are an object where the schema leaves it open, and references within it are followed",
    arguments: [
      #"{"properties": {"food": {"enum": ["fish", "tea"]}}, "required": ["food"], "additionalProperties": false}"#,
      #"""
      {"type": ["object", "null"], "properties": {"food": {"$ref": "#/$defs/Food"}}, "required": ["food"],
       "additionalProperties": false, "$defs": {"Food": {"enum": ["fish", "tea"]}}}
      """#,
      ##"{"$ref": "#/definitions/Meal", "definitions": {"Meal": {"properties": {"food": {"enum": ["fish", "tea"]}}, "required": ["food"], "additionalProperties": false}}}"##,
    ])
  func openTypes(_ parameters: String) async throws {
    let service = try await TestService(in: "/nowhere")
    let tool = #"{"type": "function", "function": {"name": "feed", "parameters": \#(parameters)}}"#
    let other = #"{"type": "function", "function": {"name": "wash", "parameters": {}}}"#
    for tools in [tool, "\(other), \(tool)"] {
      let choice = tools == tool ? #""required""# : #"{"type": "function", "function": {"name": "feed"}}"#
      let answer = try await service.ask(
        .POST, "/v1/chat/completions", chat(#""tools": [\#(tools)], "tool_choice": \#(choice)"#))
      let call = try JSONNode.object(answer.text)["choices"]?.items.first?["message"]?["tool_calls"]?.items.first
      let arguments = try #require(call?["function"]?["arguments"]?.text, "\(answer.text)")
      #expect(["fish", "tea"].contains(try JSONNode.object(arguments)["food"]?.text), "\(arguments)")
    }
    // References lead where they did in each of several.
    let several = try await service.ask(
      .POST, "/v1/chat/completions", chat(#""tools": [\#(other), \#(tool)], "tool_choice": "required""#))
    #expect(several.status == 200, "\(several.text)")
  }

  @Test("formats that no reply is held to are told, wherever a schema has them")
  func formats() async throws {
    let service = try await TestService(in: "/nowhere")
    let schema = """
      {"type": "object", "properties": {"format": {"type": "string", "format": "email"}, "at": {"type": "string", "format": "date"},
       "n": {"type": "integer", "format": "int64"}, "all": {"type": "array", "items": {"$ref": "#/$defs/Site"}, "maxItems": 1}},
       "required": ["at"], "additionalProperties": false,
       "$defs": {"Site": {"type": ["string", "null"], "format": "uri", "examples": [{"format": "no"}]}}}
      """
    let form = #""response_format": {"type": "json_schema", "json_schema": {"schema": \#(schema)}}"#
    let answer = try await service.ask(.POST, "/v1/chat/completions", chat(form))
    let ignored = try JSONNode.object(answer.text)["pet"]?["ignored"]?.items.compactMap(\.text)
    #expect(ignored == ["response_format format: email", "response_format format: uri"], "\(answer.text)")
    let tool = #""tools": [{"type": "function", "function": {"name": "a", "parameters": \#(schema)}}]"#
    let called = try await service.ask(.POST, "/v1/chat/completions", chat(tool))
    #expect(called.text.contains(#"["tools[0] format: email","tools[0] format: uri"]"#), "\(called.text)")
  }

  @Test("parameters of another type than an object are refused with the field")
  func otherType() async throws {
    let service = try await TestService(in: "/nowhere")
    for type in [#""string""#, #"["array", "null"]"#, "7"] {
      let tool = #"{"type": "function", "function": {"name": "a", "parameters": {"type": \#(type)}}}"#
      let answer = try await service.ask(.POST, "/v1/chat/completions", chat(#""tools": [\#(tool)]"#))
      let error = try JSONNode.object(answer.text)["error"]
      #expect(answer.status == 400 && error?["param"]?.text == "tools[0].function.parameters.type", "\(answer.text)")
    }
  }

  @Test("what a tool gave is read, and answered in words where no call may be made")
  func results() async throws {
    let service = try await TestService(in: "/nowhere")
    let messages = """
      {"role": "user", "content": "feed mochi"},
      {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", "function":
        {"name": "feed", "arguments": "{\\"food\\": \\"fish\\"}"}}]},
      {"role": "tool", "tool_call_id": "call_1", "content": "Mochi ate the fish."}
      """
    let answer = try JSONNode.object(
      try await service.ask(
        .POST, "/v1/chat/completions", chat(tools + #", "tool_choice": "none""#, messages: messages)
      ).text)
    let message = try #require(answer["choices"]?.items.first?["message"])
    #expect(message["tool_calls"] == nil && message["content"]?.text?.isEmpty == false)
  }

  @Test(
    "what makes no sense is refused",
    arguments: [
      #""tools": [{"type": "function", "function": {"name": "a b"}}]"#,
      #""tools": [{"type": "magic", "function": {"name": "a"}}]"#,
      #""tool_choice": {"type": "function", "function": {"name": "a"}}"#,
      #""tools": [{"type": "function", "function": {"name": "a"}}], "tool_choice": "maybe""#,
      #""tools": [{"type": "function", "function": {"name": "a"}}], "response_format": {"type": "json_object"}"#,
      #""logprobs": true, "top_logprobs": 21"#, #""top_logprobs": 2"#,
    ])
  func refused(_ rest: String) async throws {
    let service = try await TestService(in: "/nowhere")
    let answer = try await service.ask(.POST, "/v1/chat/completions", chat(rest))
    #expect(answer.status == 400 && answer.text.contains(#""error""#), "\(answer.text)")
    let orphan = #"{"role": "tool", "tool_call_id": "x", "content": "y"}"#
    #expect(try await service.ask(.POST, "/v1/chat/completions", chat(#""n": 1"#, messages: orphan)).status == 400)
  }

  @Test("probabilities under a schema are the model's own, also where the schema leaves no choice")
  func probabilitiesUnderASchema() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let schema =
      #"{"type":"object","properties":{"colour":{"enum":["blue","green"]}},"required":["colour"],"additionalProperties":false}"#
    func reply(_ rest: String) async throws -> JSONNode {
      let body =
        #"{"messages": [{"role": "user", "content": "tell me of the sea"}], "temperature": 0, "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": \#(schema)}}\#(rest)}"#
      let answer = try JSONNode.object(try await service.ask(.POST, "/v1/chat/completions", body).text)
      return try #require(answer["choices"]?.items.first)
    }
    let told = try await reply(#", "logprobs": true, "top_logprobs": 1"#)
    let content = try #require(told["message"]?["content"]?.text)
    #expect(content.hasPrefix(#"{"colour":""#) || content.hasPrefix(#"{"colour": ""#), "\(content)")
    #expect(try await reply("")["message"]?["content"]?.text == content)
    let tokens = try #require(told["logprobs"]?["content"]?.items)
    #expect(tokens.compactMap { $0["token"]?.text }.joined() == content)
    // Nothing is certain for the model, and each token has its likeliest rival beside it.
    for token in tokens {
      let own = try #require(token["logprob"]?.decimal)
      let best = try #require(token["top_logprobs"]?.items.first?["logprob"]?.decimal)
      #expect(own <= 0 && own <= best + 1e-6, "\(token)")
    }
    // What follows a brace, for a model of small talk, is hardly a word of a schema.
    #expect(tokens.contains { ($0["logprob"]?.decimal ?? 0) < -3 })
  }

  @Test("probabilities: of each token of the reply, greedy ones the likeliest, all of them at most one")
  func probabilities() async throws {
    let service = try await TestService(in: "/nowhere")
    let answer = try JSONNode.object(
      try await service.ask(.POST, "/v1/chat/completions", chat(#""logprobs": true, "top_logprobs": 3"#)).text)
    let choice = try #require(answer["choices"]?.items.first)
    let tokens = try #require(choice["logprobs"]?["content"]?.items)
    // Of all that was drawn, the mark behind the words included.
    let (drawn, said) = (tokens.compactMap { $0["token"]?.text }.joined(), choice["message"]?["content"]?.text)
    let look = try #require(choice["pet"])
    #expect(drawn.trimmed.hasPrefix(said ?? "-") && drawn.hasSuffix("}") && said?.contains("{") == false)
    #expect(drawn.contains("{\(look["emotion"]?.text ?? "-")"))
    for token in tokens {
      let own = try #require(token["logprob"]?.decimal)
      let likeliest = token["top_logprobs"]?.items.compactMap { $0["logprob"]?.decimal } ?? []
      #expect(likeliest.count == 3 && likeliest == likeliest.sorted(by: >) && own == likeliest.first && own <= 0)
      #expect(likeliest.reduce(0) { $0 + exp($1) } <= 1.0001)
    }
    let text = try JSONNode.object(
      try await service.ask(
        .POST, "/v1/completions", #"{"prompt": "Once upon a", "max_tokens": 5, "temperature": 0, "logprobs": 2}"#
      ).text)
    let legacy = try #require(text["choices"]?.items.first?["logprobs"])
    #expect(legacy["tokens"]?.items.count == legacy["token_logprobs"]?.items.count)
    #expect(legacy["text_offset"]?.items.first?.number == 0)
  }

  @Test("tokens stand where the text has them; those of a mark, closed or not, where it stood")
  func offsets() async throws {
    let service = try await TestService(in: "/nowhere")
    let answer = try JSONNode.object(
      try await service.ask(
        .POST, "/v1/completions", #"{"prompt": "hello there", "max_tokens": 30, "temperature": 0, "logprobs": 0}"#
      ).text)
    let choice = try #require(answer["choices"]?.items.first)
    let tokens = choice["logprobs"]?["tokens"]?.items.compactMap(\.text) ?? []
    #expect(
      tokens.joined() == "! {happy; wave you are looking! {excited; jump, I am looking. {excited; jump}", "\(tokens)")
    #expect(choice["text"]?.text == "! you are looking! I am looking.")
    #expect(
      choice["logprobs"]?["text_offset"]?.items.compactMap(\.number)
        == [0, 1, 1, 1, 5, 9, 17, 18, 18, 18, 18, 20, 23, 31, 32, 32, 32])
  }

  @Test("embeddings are those of the engine, as numbers and in base64")
  func embeddings() async throws {
    let service = try await TestService(in: "/nowhere")
    let texts = ["a cat sleeps", "das Meer", "a cat sleeps"]
    let body = #""input": ["a cat sleeps", "das Meer", "a cat sleeps"]"#
    let answer = try JSONNode.object(try await service.ask(.POST, "/v1/embeddings", "{\(body)}").text)
    let vectors = answer["data"]?.items.map { $0["embedding"]?.items.compactMap(\.decimal).map(Float.init) ?? [] } ?? []
    #expect(vectors == (try await service.models.language.use { try await $0.embeddings(of: texts) }))
    #expect(vectors.first == vectors.last && answer["usage"]?["prompt_tokens"]?.number ?? 0 >= 6)
    let packed = try JSONNode.object(
      try await service.ask(.POST, "/v1/embeddings", #"{\#(body), "encoding_format": "base64"}"#).text)
    let data = try #require(Data(base64Encoded: packed["data"]?.items.first?["embedding"]?.text ?? ""))
    let floats = stride(from: 0, to: data.count, by: 4).map { start -> Float in
      var bits: UInt32 = 0
      for byte in data[start..<start + 4].reversed() { bits = bits << 8 | UInt32(byte) }
      return Float(bitPattern: bits)
    }
    #expect(floats == vectors.first)
    for wrong in [
      #"{"input": []}"#, #"{"input": ""}"#, #"{"input": [1, 2]}"#, #"{"input": "a", "dimensions": 3}"#, "{}",
    ] {
      #expect(try await service.ask(.POST, "/v1/embeddings", wrong).status == 400, "\(wrong)")
    }
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
