// SPDX-License-Identifier: Apache-2.0
/// The tools that a model may use in a conversation, by name.
package struct ToolRegistry: Sendable {
  /// Far more than a small model can choose among sensibly.
  static let maximumSchemaBytes = 16 << 10

  /// In the order they were given.
  package let tools: [any Tool]
  private let schemas: [ArgumentSchema]

  /// - Throws: `ToolError.invalidName`, `.duplicateName`, `.invalidSchema`, `.invalidType`.
  package init(_ tools: [any Tool]) throws(ToolError) {
    var names: Set<String> = []
    var schemas: [ArgumentSchema] = []
    for tool in tools {
      guard Self.isName(tool.name) else { throw .invalidName(tool.name) }
      guard names.insert(tool.name).inserted else { throw .duplicateName(tool.name) }
      let schema = tool.parameters.json
      guard schema.utf8.count <= Self.maximumSchemaBytes else { throw .invalidSchema(tool: tool.name) }
      schemas.append(try ArgumentSchema(schema, of: tool.name))
    }
    (self.tools, self.schemas) = (tools, schemas)
  }

  package var names: [String] { tools.map(\.name) }

  /// The tool of this name. O(number of tools).
  package func tool(named name: String) -> (any Tool)? { tools.first { $0.name == name } }

  /// What the model is told of the tools, as a part of its system text; empty where there are none.
  package var instructions: String {
    guard !tools.isEmpty else { return "" }
    let list = tools.map { "\($0.name): \($0.description) Its arguments, as a JSON schema: \($0.parameters.json)" }
    return """
      You can use tools. To use one, answer with its call and nothing else:
      {"tool": "NAME", "arguments": {...}}
      What it gives comes back as {"tool_result": "NAME", "content": "..."}; then answer, or use another tool. The tools:
      \(list.joined(separator: "\n"))
      """
  }

  /// A JSON schema of the calls that the model may make: what a grammar is made of that allows nothing else.
  package var callSchema: String {
    let calls = tools.indices.map { index in
      let place = (tools.count == 1 ? "" : "/oneOf/\(index)") + "/properties/arguments"
      return
        #"{"type":"object","properties":{"tool":{"const":"\#(tools[index].name)"},"arguments":\#(schemas[index].json(at: place))},"#
        + #""required":["tool","arguments"],"additionalProperties":false}"#
    }
    return calls.count == 1 ? calls[0] : #"{"oneOf":[\#(calls.joined(separator: ","))]}"#
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
          || $0 == 0x2D
      }
  }
}
