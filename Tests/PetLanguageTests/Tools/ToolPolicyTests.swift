// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import Testing

@Suite("Tools: what there are, and what becomes of calls")
struct ToolPolicyTests {
  private struct City: Decodable { var city: String }

  private func tool(
    _ name: String, _ parameters: GenerationSchema = .object(["city": .string().described("its name")])
  ) -> ClosureTool<City> {
    ClosureTool(name, "Tells the weather.", parameters) { $0.city }
  }

  private let call = ToolReply(#"{"tool": "weather", "arguments": {}}"#)

  @Test("a reply is an answer, a call, a mistake, or one call too many")
  func decisions() throws {
    guard case .call(let wanted) = call else { throw ToolError.malformedCall }
    let policy = ToolPolicy(maximumCalls: 2)
    let known = ["weather"]
    #expect(policy.decide(.text, .stop, calls: 0, known: known) == .answer)
    #expect(policy.decide(.text, .length, calls: 9, known: known) == .answer)
    #expect(policy.decide(call, .stop, calls: 1, known: known) == .call(wanted))
    #expect(policy.decide(call, .stop, calls: 2, known: known) == .stop)
    #expect(policy.decide(call, .stop, calls: 0, known: ["other"]) == .explain(.unknownTool))
    #expect(policy.decide(.malformed, .length, calls: 0, known: known) == .explain(.malformed))
    #expect(policy.decide(.malformed, .length, calls: 2, known: known) == .stop)
    for reason in [GenerationResult.FinishReason.cancelled, .deadline, .flag] {
      #expect(policy.decide(call, reason, calls: 0, known: known) == .answer, "nothing is done when nobody waits")
    }
    #expect(ToolPolicy(maximumCalls: 0).decide(call, .stop, calls: 0, known: known) == .stop)
  }

  @Test("the model is told each tool with its schema; the schema of calls is JSON that names all of them")
  func instructions() throws {
    let parameters = GenerationSchema.object([
      "city": .string().described("its \"name\"\n"), "unit": .choice(["celsius", "kelvin"]).optional,
      "days": .integer(in: 1...7).described("how many").optional,
    ])
    #expect(
      parameters.json
        == #"{"type":"object","properties":{"city":{"description":"its \"name\"\n","type":"string"},"#
        + #""unit":{"enum":["celsius","kelvin"]},"#
        + #""days":{"description":"how many","type":"integer","minimum":1,"maximum":7}},"#
        + #""required":["city"],"additionalProperties":false}"#)
    let registry = try ToolRegistry([tool("weather", parameters), tool("time-of-day")])
    for tool in registry.tools {
      #expect(registry.instructions.contains("\n\(tool.name): \(tool.description)"))
      #expect(registry.instructions.contains(tool.parameters.json))
      #expect(registry.callSchema.contains(#"{"const":"\#(tool.name)"}"#))
    }
    #expect(JSONText.isObject(registry.callSchema) && JSONText.isObject(parameters.json))
    #expect(JSONText.isObject(try ToolRegistry([tool("weather")]).callSchema))
    #expect(try ToolRegistry([]).instructions.isEmpty)
  }

  @Test("names that a model could not write, twice the same, and schemas that are none are refused")
  func refused() {
    for name in ["", "two words", "a/b", "é", String(repeating: "a", count: 65)] {
      #expect { try ToolRegistry([tool(name)]) } throws: {
        if case ToolError.invalidName(name) = $0 { true } else { false }
      }
    }
    #expect { try ToolRegistry([tool("a"), tool("a")]) } throws: {
      if case ToolError.duplicateName("a") = $0 { true } else { false }
    }
    let long = #"{"description": "\#(String(repeating: "a", count: 20_000))"}"#
    for schema in ["", "[]", "{", "true", long] {
      #expect { try ToolRegistry([tool("a", GenerationSchema(json: schema))]) } throws: {
        if case ToolError.invalidSchema("a") = $0 { true } else { false }
      }
    }
  }

  @Test("a result is JSON that no result can break out of, cut between characters")
  func results() {
    let policy = ToolPolicy(maximumResultBytes: 5)
    #expect(policy.message("18 °", of: "weather") == #"{"tool_result": "weather", "content": "18 °"}"#)
    #expect(policy.message("aéééé", of: "w") == #"{"tool_result": "w", "content": "aéé", "cut": true}"#)
    #expect(policy.message("ab€€", of: "w") == #"{"tool_result": "w", "content": "ab€", "cut": true}"#)
    #expect(policy.message("abc€€", of: "w") == #"{"tool_result": "w", "content": "abc", "cut": true}"#)
    #expect(
      policy.message("\"}\\\n", of: "w") == #"{"tool_result": "w", "content": "\"}\\\n"}"#)
  }
}
