// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetAPI
import PetEngine
import PetService
import Testing

/// Each field of OpenAI's requests is honoured, refused by its name, or told of; objects keep their order.
@Suite("Fields of OpenAI's API")
struct FieldTests {
  private let service: TestService

  init() async throws { service = try await TestService(in: "/nowhere") }

  private func ask(_ path: String, _ body: String) async throws -> [String: JSONNode] {
    let answer = try await service.ask(.POST, path, body)
    #expect(answer.status == 200, "\(answer.text)")
    return try JSONNode.object(answer.text)
  }

  private func chat(
    _ rest: String, messages: String = #"{"role": "user", "content": "hello"}"#
  ) async throws -> [String: JSONNode] {
    try await ask("/v1/chat/completions", #"{"temperature": 0, "max_tokens": 12, "messages": [\#(messages)]\#(rest)}"#)
  }

  @Test("what does nothing is told of by its place, also where it is empty; what is null or does its work is not")
  func ignored() async throws {
    let answer = try await chat(
      """
      , "user": "u", "store": true, "metadata": {"a": "b"}, "service_tier": "auto", "seed": 1, "n": 1,
      "frequency_penalty": 0, "presence_penalty": null, "logit_bias": {"7": 0.5},
      "modalities": ["text"], "prediction": {"type": "content", "content": "x"}, "reasoning_effort": "low",
      "stream_options": {"include_usage": true}, "stream": false, "temperture": 1, "audio": null, "functions": null,
      "safety_identifier": null, "plugins": [], "extra": {}, "stop": null, "logprobs": false
      """,
      messages: """
        {"role": "user", "name": "Ada", "content": [{"type": "text", "text": "hello", "cache_control": {"type": "x"}}]},
        {"role": "assistant", "content": "Hi!", "refusal": null, "annotations": []}, {"role": "user", "content": "hi"}
        """)
    #expect(
      answer["pet"]?["ignored"]?.items.compactMap(\.text).sorted() == [
        "extra", "logit_bias.7", "messages[0].content[0].cache_control", "messages[0].name", "messages[1].annotations",
        "metadata", "plugins", "prediction", "reasoning_effort",
        "service_tier", "store", "stream_options", "temperture", "user",
      ])
    let limited = try await chat(#", "max_completion_tokens": 3"#)
    #expect(limited["usage"]?["completion_tokens"]?.number == 3)
    #expect(limited["pet"]?["ignored"]?.items.map(\.text) == ["max_tokens"])
    let plain = try await chat(#", "seed": 3, "top_p": 0.5, "response_format": {"type": "text"}"#)
    #expect(plain["pet"] == nil)
    let vectors = try await ask("/v1/embeddings", #"{"input": "a", "user": "u", "encoding_format": "float"}"#)
    #expect(vectors["pet"]?["ignored"]?.items.map(\.text) == ["user"])
  }

  @Test(
    "what is not done is refused by its name",
    arguments: [
      ("chat", #""functions": [{"name": "f"}]"#, "functions"), ("chat", #""function_call": "auto""#, "function_call"),
      ("chat", #""audio": {"voice": "x"}"#, "audio"), ("chat", #""modalities": ["text", "audio"]"#, "modalities"),
      ("chat", #""web_search_options": {"a": 1}"#, "web_search_options"), ("chat", #""n": 0"#, "n"),
      ("chat", #""frequency_penalty": 2.5"#, "frequency_penalty"),
      ("chat", #""presence_penalty": "x""#, "presence_penalty"),
      ("chat", #""logit_bias": {"1": 101}"#, "logit_bias"), ("chat", #""logit_bias": {"a": 1}"#, "logit_bias"),
      ("chat", #""logit_bias": {"99999999": 1}"#, "logit_bias"),
      ("chat", #""tools": [{"type": "web_search"}]"#, "tools"),
      ("chat", #""tool_choice": {"type": "allowed_tools"}"#, "tool_choice"),
      ("chat", #""tool_choice": "required""#, "tool_choice"),
      ("chat", #""parallel_tool_calls": true"#, "parallel_tool_calls"), ("chat", #""messages": []"#, "messages"),
      ("text", #""prompt": null"#, "prompt"), ("text", #""prompt": """#, "prompt"),
      ("embedding", #""input": null"#, "input"),
      (
        "chat", #""response_format": {"type": "json_schema", "json_schema": {"strict": true, "schema": {"not": {}}}}"#,
        "response_format"
      ),
      (
        "chat",
        #""tools": [{"type": "function", "function": {"name": "f", "strict": true, "parameters": {"type": "object", "not": {}}}}]"#,
        "tools[0].function.parameters"
      ),
      ("text", #""suffix": "end""#, "suffix"), ("text", #""best_of": 3"#, "best_of"),
      ("text", #""prompt": ["a", "b"]"#, "prompt"), ("text", #""prompt": [1, 2]"#, "prompt"),
      ("embedding", #""input": [1, 2]"#, "input"), ("embedding", #""dimensions": 3"#, "dimensions"),
      ("pet", #""schema": "{\"not\": {}}""#, "schema"), ("pet", #""grammar": "root ::= x""#, "grammar"),
      ("pet", #""max_token": 3"#, "max_token"),
    ])
  func refused(_ kind: String, _ field: String, _ name: String) async throws {
    let (path, needed) =
      switch kind {
      case "chat": ("/v1/chat/completions", #""messages": [{"role": "user", "content": "hello"}]"#)
      case "text": ("/v1/completions", #""prompt": "hello""#)
      case "embedding": ("/v1/embeddings", #""input": "hello""#)
      default: ("/pet/completions", #""prompt": "hello""#)
      }
    let isGiven = needed.hasPrefix("\"\(name)\"")
    let answer = try await service.ask(.POST, path, "{\(isGiven ? field : needed + ", " + field)}")
    #expect(answer.status == 400, "\(answer.text)")
    #expect(try JSONNode.object(answer.text)["error"]?["param"]?.text == name, "\(answer.text)")
  }

  @Test("penalties and biases change what is drawn; several replies are as many, each as alone")
  func honoured() async throws {
    func text(_ rest: String) async throws -> [String] {
      let answer = try await ask("/v1/completions", #"{"prompt": "the the the the", "max_tokens": 12\#(rest)}"#)
      return answer["choices"]?.items.compactMap { $0["text"]?.text } ?? []
    }
    let plain = try await text(#", "temperature": 0"#)
    #expect(try await text(#", "temperature": 0, "presence_penalty": 2, "frequency_penalty": 2"#) != plain)
    let token = try await service.models.language.use {
      try await $0.complete("the the the the", .greedy(maximumTokens: 1)).tokens[0]
    }
    let biased = try await service.ask(
      .POST, "/v1/completions",
      #"{"prompt": "the the the the", "max_tokens": 12, "temperature": 0, "logprobs": 0, "logit_bias": {"\#(token)": -100}}"#
    )
    #expect(biased.status == 200 && !biased.text.contains(#""text":"\#(plain[0])""#))
    let three = try await text(#", "temperature": 1, "seed": 5, "n": 3"#)
    #expect(try await three.prefix(1) == text(#", "temperature": 1, "seed": 5"#)[...])
    #expect(try await three == text(#", "temperature": 1, "seed": 5, "n": 3"#) && Set(three).count == 3)
    // The choices of seeds that lie side by side are not the same ones, moved on.
    #expect(try await Set(text(#", "temperature": 1, "seed": 6, "n": 3"#)).isDisjoint(with: three))
    #expect(try await text(#", "temperature": 0, "echo": true"#) == ["the the the the" + plain[0]])
    let first = try await ask(
      "/v1/completions", #"{"prompt": ["the the the the"], "max_tokens": 12, "temperature": 0}"#)
    #expect(first["choices"]?.items.first?["text"]?.text == plain[0])
    let echoed = try await ask(
      "/v1/completions", #"{"prompt": "the sea", "max_tokens": 3, "temperature": 0, "echo": true, "logprobs": 1}"#)
    #expect(echoed["choices"]?.items.first?["logprobs"]?["text_offset"]?.items.first?.number == 7)
    #expect(echoed["pet"]?["ignored"]?.items.map(\.text) == ["logprobs of the prompt"])
  }

  @Test("turns that are left out, results that are cut and messages that are moved are told of")
  func told() async throws {
    let long = String(repeating: "sea ", count: 60)
    let turns = (0..<20).map {
      #"{"role": "user", "content": "\#($0) \#(long)"}, {"role": "assistant", "content": "ok"}"#
    }
    let dropped = try await chat("", messages: turns.joined(separator: ", ") + #", {"role": "user", "content": "hi"}"#)
    let count = try #require(dropped["pet"]?["dropped_turns"]?.number)
    #expect((1...20).contains(count))
    // No more than the reply needs: what is left does not fit with one turn more.
    let read = try #require(dropped["usage"]?["prompt_tokens"]?.number)
    #expect(read + 12 <= 512 && read + 12 > 512 - 80, "\(read)")
    let result = String(repeating: "fish", count: 2000)
    let answer = try await service.ask(
      .POST, "/v1/chat/completions",
      """
      {"max_tokens": 4, "messages": [{"role": "user", "content": "feed"}, {"role": "assistant", "content": null,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "feed", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "\(result)"}]}
      """)
    // 4096 bytes of it are more than the context of this service holds, or fit and are told of.
    let pet = try JSONNode.object(answer.text)["pet"]
    #expect(
      answer.text.contains("context_length_exceeded")
        || pet?["shortened"]?.items.map(\.text) == ["messages[2]: the first 4096 of 8000 bytes were read"],
      "\(answer.text)")
    let moved = try await chat(
      "", messages: #"{"role": "user", "content": "hi"}, {"role": "system", "content": "Be kind."}"#)
    #expect(moved["pet"]?["moved"]?.items.map(\.text) == ["messages[1]: told at the start"])
  }

  @Test("properties come in the order of the schema, and arguments in that of the parameters")
  func order() async throws {
    let schema =
      #"{"type": "object", "properties": {"reasoning": {"enum": ["why"]}, "answer": {"enum": ["yes", "no"]}, "Zeta": {"type": "object", "properties": {"y": {"const": 1}, "b": {"const": 2}}, "required": ["y", "b"], "additionalProperties": false}}, "required": ["reasoning", "answer", "Zeta"], "additionalProperties": false}"#
    let format = #"{"type": "json_schema", "json_schema": {"name": "a", "strict": true, "schema": \#(schema)}}"#
    let answer = try await ask(
      "/v1/chat/completions",
      #"{"temperature": 0, "max_tokens": 80, "messages": [{"role": "user", "content": "is it?"}], "response_format": \#(format)}"#
    )
    let content = try #require(answer["choices"]?.items.first?["message"]?["content"]?.text)
    #expect(
      content.wholeMatch(of: /\{"reasoning":"why","answer":"(yes|no)","Zeta":\{"y":1,"b":2\}\}/) != nil, "\(content)")
    #expect(answer["pet"] == nil)
    let tool = #"{"type": "function", "function": {"name": "judge", "strict": true, "parameters": \#(schema)}}"#
    let called = try await ask(
      "/v1/chat/completions",
      #"{"temperature": 0, "max_tokens": 120, "messages": [{"role": "user", "content": "is it?"}], "tools": [\#(tool)], "tool_choice": "required"}"#
    )
    let arguments = try #require(
      called["choices"]?.items.first?["message"]?["tool_calls"]?.items.first?["function"]?["arguments"]?.text)
    #expect(
      arguments.wholeMatch(of: /\{"reasoning":"why","answer":"(yes|no)","Zeta":\{"y":1,"b":2\}\}/) != nil,
      "\(arguments)")
  }
}

@Suite("What is told beside a reply")
struct NoticeTests {
  private static let notices: [CompanionAnswer.Notice] = [
    .shortened(characters: 4000), .notKept("disk: full: \"no\" {room}"),
    .reminder(
      Reply(text: "It is late: time to rest. {", emotion: .sleepy, actions: [.yawn, .cuddle], isWellFormed: true)),
    .reminder(Reply(text: "", emotion: nil, actions: [])),
    .forgotten(.memories([])), .forgotten(.everything),
  ]

  @Test("comes back from JSON as it was", arguments: notices)
  func roundTrip(_ notice: CompanionAnswer.Notice) throws {
    try roundTrip(TurnNotice(notice))
  }

  @Test("that words are written nowhere comes back from JSON, too") func unkept() throws { try roundTrip(.unkept) }

  private func roundTrip(_ notice: TurnNotice) throws {
    let json = try JSONEncoder().encode(notice)
    #expect(try JSONDecoder().decode(TurnNotice.self, from: json) == notice)
    #expect(try JSONDecoder().decode([String: JSONNode].self, from: json)["text"]?.text != nil)
  }

  @Test("over HTTP a reminder has its emotion and its actions")
  func reminder() async throws {
    // Of a person for whom it is always night.
    var settings = TestService.longLease
    settings.pet.safety = try JSONDecoder().decode(
      SafetyProfile.self,
      from: Data(
        #"{"thresholds": {"alone": 0.7, "watching": 0.5}, "breakAfterMinutes": 60, "quietHours": [0, 24], "isForMinors": false}"#
          .utf8))
    let service = try await TestService(settings)
    defer { service.remove() }
    let long = String(repeating: "and then we went to the sea. ", count: 400)
    let answer = try await service.ask(
      .POST, "/pet/sessions/mochi.night/messages", #"{"text": "I have a long story. \#(long)"}"#)
    let notices = try JSONDecoder().decode(AnswerForm.self, from: Data(answer.text.utf8)).turn.notices
    guard case .shortened(let characters)? = notices.first, case .reminder(let reply)? = notices.last else {
      Issue.record("\(answer.text)")
      return
    }
    #expect(characters > 100 && reply.emotion != nil && !reply.text.isEmpty && !reply.text.contains("{"))
    let form = try #require(try JSONNode.object(answer.text)["notices"]?.items.last)
    #expect(form["kind"]?.text == "reminder" && form["emotion"]?.text == reply.emotion)
  }
}
