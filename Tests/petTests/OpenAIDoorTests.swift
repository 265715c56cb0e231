// SPDX-License-Identifier: Apache-2.0
import Foundation
import RawClient
import Testing

/// What a person relies on, through the programs: petd with the built-in model, and `pet complete`.
@Suite("Danger, marks and order at the doors without a pet")
struct OpenAIDoorTests {
  private func json(_ response: String) throws -> [String: Any] {
    let body = try #require(response.components(separatedBy: "\r\n\r\n").last)
    return try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
  }

  private func message(_ answer: [String: Any]) throws -> String {
    let choice = try #require((answer["choices"] as? [[String: Any]])?.first)
    return try #require((choice["message"] as? [String: Any])?["content"] as? String)
  }

  @Test(
    "petd writes the words for danger, names the lines of its locale, and keeps marks, flags and order where they belong"
  )
  func daemon() async throws {
    let daemon = try await RunningDaemon(environment: ["LANG": "en_US.UTF-8"])
    func chat(_ text: String, _ rest: String = "") async throws -> [String: Any] {
      try json(
        await daemon.post(
          "/v1/chat/completions",
          #"{"temperature": 0, "max_tokens": 40, "messages": [{"role": "user", "content": "\#(text)"}]\#(rest)}"#))
    }
    let danger = try await chat("I want to kill myself")
    let told = try #require(danger["pet"] as? [String: Any])
    #expect(told["source"] as? String == "care" && told["danger"] as? String == "self_harm")
    #expect(told["ignored"] as? [String] == ["max_tokens", "temperature"])
    #expect(try message(danger).contains("988") && !message(danger).contains("{"))
    let stream = try await daemon.post(
      "/v1/chat/completions", #"{"messages": [{"role": "user", "content": "I took too many pills"}], "stream": true}"#)
    #expect(
      stream.contains(#""pet":{"danger":"self_harm","safety":{"kind":"poisoning","stage":"alarm"},"source":"care"}"#)
        && !stream.contains("\\u0001"), "\(stream)")
    let text = try await daemon.post("/v1/completions", #"{"prompt": "User: I want to kill myself\nBot:"}"#)
    #expect(text.contains(#""source":"care""#))
    let hello = try await chat("hello")
    let choice = try #require((hello["choices"] as? [[String: Any]])?.first)
    #expect(try !message(hello).contains("{") && (choice["pet"] as? [String: Any])?["emotion"] is String)
    let schema =
      #"{"type": "object", "properties": {"reasoning": {"enum": ["why"]}, "answer": {"enum": ["no"]}}, "required": ["reasoning", "answer"], "additionalProperties": false}"#
    let held = try await chat(
      "is it?",
      #", "response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": true, "schema": \#(schema)}}"#
    )
    #expect(try message(held) == #"{"reasoning":"why","answer":"no"}"#)
    let called = try await daemon.post(
      "/v1/chat/completions",
      #"{"messages": [{"role": "user", "content": "is it?"}], "tool_choice": "required", "tools": [{"type": "function", "function": {"name": "judge", "parameters": \#(schema)}}]}"#
    )
    #expect(called.contains(#""arguments":"{\"reasoning\":\"why\",\"answer\":\"no\"}""#), "\(called)")
    let escape = try await daemon.post("/v1/chat/completions", #"{"messages": [{"role": "user", "content": "a\q"}]}"#)
    #expect(escape.contains("400") && escape.contains("line 1, column 47: unknown escape"), "\(escape)")
    let pet = try await daemon.post("/pet/sessions/mochi.tea/messages", #"{"text": "I want to kill myself"}"#)
    #expect(pet.contains("988"), "the pet that petd minds knows the region too: \(pet)")
    #expect(try json(pet)["danger"] as? String == "self_harm" && json(pet)["source"] as? String == "rule")
    let body = #"{"text": "I took too many pills"}"#
    let events = try await RawClient(daemon.socket).exchange(
      "POST /pet/sessions/mochi.tea/messages HTTP/1.1\r\nhost: pet\r\naccept: text/event-stream\r\n"
        + "connection: close\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(events.contains("event: danger\ndata: {\"danger\":\"self_harm\"}\n\n"), "\(events)")
    let empty = try await daemon.post("/pet/pets/mochi/memories", #"{"text": " "}"#)
    #expect(empty.hasPrefix("HTTP/1.1 400") && empty.contains(#""param":"text""#), "\(empty)")
  }

  @Test("complete: the same words here and through petd; marks are fields, and --raw shows them")
  func complete() async throws {
    let daemon = try await RunningDaemon()
    func run(_ arguments: [String]) throws -> [PetBinary.Result] {
      try [[], ["--no-service", "--profile", "watch"]].map { door in
        let result = try PetBinary.run(["complete"] + arguments + door, home: daemon.home.path)
        #expect(result.status == 0, "\(result.error)")
        return result
      }
    }
    func object(_ result: PetBinary.Result) throws -> [String: Any] {
      try #require(try result.json() as? [String: Any])
    }
    for prompt in [["--chat", "--prompt", "I want to kill myself"], ["--prompt", "Me: I want to kill myself\nYou:"]] {
      for result in try run(prompt + ["--json"]) {
        let report = try object(result)
        #expect(report["source"] as? String == "care" && report["danger"] as? String == "self_harm")
        #expect((report["text"] as? String)?.contains("call") == true && report["ids"] as? [Int] == [])
      }
    }
    let said = try run(["--chat", "--prompt", "hello", "--json"]).map(object)
    let text = try #require(said[0]["text"] as? String)
    #expect(said[1]["text"] as? String == text && !text.contains("{") && said[0]["emotion"] is String)
    #expect(try run(["--chat", "--prompt", "hello"]).map(\.output) == [text + "\n", text + "\n"])
    for raw in try run(["--chat", "--prompt", "hello", "--raw"]) {
      #expect(raw.output.hasPrefix(text + " {\(said[0]["emotion"] ?? "")"), "\(raw.output)")
    }
    let off = try PetBinary.run(
      [
        "complete", "--prompt", "I want to kill myself", "--max-tokens", "4", "--json", "--model", Fixtures.smallModel,
        "--set", "safety.v1=off",
      ],
      home: daemon.home.path)
    #expect(try object(off)["source"] as? String == "model", "\(off.error)")
    let care = try PetBinary.run(
      ["complete", "--prompt", "I want to kill myself", "--json", "--model", Fixtures.smallModel],
      home: daemon.home.path)
    #expect(try object(care)["source"] as? String == "care", "\(care.error)")
  }

  @Test("a notice comes whole through petd to pet chat --json")
  func notices() async throws {
    let daemon = try await RunningDaemon()
    let long = "I have a long story. " + String(repeating: "and then we went to the sea. ", count: 400)
    let result = try PetBinary.run(["chat", "--json"], home: daemon.home.path, input: long + "\n")
    let turn = try #require(try result.json() as? [String: Any])
    let notice = try #require((turn["notices"] as? [[String: Any]])?.first)
    #expect(notice["kind"] as? String == "shortened" && notice["characters"] as? Int ?? 0 > 100, "\(result.output)")
    #expect(daemon.log.contains("/pet/sessions/{session}/messages"))
  }
}
