// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import Testing

@Suite("What a reply is where there are tools")
struct ToolReplyTests {
  private struct City: Decodable, Equatable {
    enum Unit: String, Decodable { case celsius, fahrenheit }
    struct Day: Decodable, Equatable { var number: Int }
    var city: String
    var unit: Unit?
    var days: [Day]?
  }

  private func call(_ text: String) throws -> ToolCall {
    guard case .call(let call) = ToolReply(text) else { throw ToolError.malformedCall }
    return call
  }

  @Test(
    "a call is the first thing in a reply, perhaps in a fence; what follows is left out",
    arguments: [
      #"{"tool": "weather", "arguments": {"city": "Oslo"}}"#,
      #" \#n{"arguments":{"city":"Oslo"},"tool":"weather"} I am looking."#,
      "```json\n{\"tool\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n```",
      #"{"tool": "weather", "note": "a } in a \" string {", "arguments": {"city": "Oslo"}}"#,
    ])
  func calls(_ text: String) throws {
    let call = try call(text)
    #expect(call.tool == "weather")
    #expect(try call.arguments(as: City.self) == City(city: "Oslo"))
  }

  @Test(
    "words, and JSON about other things, are text",
    arguments: [
      "", "Hello!", #"I use {"tool": "weather", "arguments": {}}"#, #"{"city": "Oslo"}"#, "{", "```",
      "```\nlet a = 1\n```", #"{"arguments": {}, "tool": null}"#, "{ not JSON }",
    ])
  func text(_ text: String) { #expect(ToolReply(text) == .text) }

  @Test(
    "what begins as a call and is none is told from text",
    arguments: [
      #"{"tool": "weather", "arguments": {"city": "Os"#, #"{"tool": 4, "arguments": {}}"#, #"{"tool": "weather"}"#,
      #"{"tool": "weather", "arguments": "Oslo"}"#, #"{"tool": "weather", "arguments": {,}}"#,
      #"{"tool": "# + String(repeating: #"{"a":"#, count: 10_000),
    ])
  func malformed(_ text: String) { #expect(ToolReply(text) == .malformed) }

  @Test("arguments keep the order in which they were written; of a key that was written twice the last value holds")
  func order() throws {
    let call = try call(
      #"{"tool": "t", "arguments": {"z": 1.50, "a": {"y": [null, true], "b": "\u0041\n"}, "m": 2, "z": 3}}"#)
    #expect(call.argumentsText == #"{"z":3,"a":{"y":[null,true],"b":"A\n"},"m":2}"#)
  }

  @Test("arguments that do not fit say which and why, never what was given")
  func arguments() throws {
    for (json, path, problem) in [
      (#"{}"#, "arguments.city", ToolError.ArgumentProblem.missing),
      (#"{"city": null}"#, "arguments.city", .missing),
      (#"{"city": 4}"#, "arguments.city", .notA("String")),
      (#"{"city": "Oslo", "unit": "Zanzibar"}"#, "arguments.unit", .invalid),
      (#"{"city": "Oslo", "days": [{"number": 1}, {"number": "Zanzibar"}]}"#, "arguments.days[1].number", .notA("Int")),
    ] {
      let call = try call(#"{"tool": "weather", "arguments": \#(json)}"#)
      let error = try #require(throws: ToolError.self) { try call.arguments(as: City.self) }
      guard case .invalidArguments("weather", let where_, let why) = error else {
        Issue.record("\(error)")
        continue
      }
      #expect(where_.replacing(".[", with: "[") == path && why == problem, "\(error)")
      #expect(!"\(error)".contains("Zanzibar"))
    }
  }

  @Test("a stream shows words at once, holds calls back, and cuts no text")
  func filter() {
    for text in ["Hello, you!", "  Hello {", "``let``", "{\"tool\"", "", " \n "] {
      for size in 1...4 {
        var filter = ToolCallFilter()
        var shown = ""
        var rest = text[...]
        while !rest.isEmpty {
          shown += filter.append(String(rest.prefix(size)))
          rest = rest.dropFirst(size)
        }
        let before = shown
        shown += filter.flush()
        #expect(shown == text)
        #expect(before.isEmpty == !text.contains { $0.isLetter } || text.hasPrefix("{") || before == text, "\(text)")
        if text.hasPrefix("{") { #expect(before.isEmpty) }
      }
    }
  }
}
