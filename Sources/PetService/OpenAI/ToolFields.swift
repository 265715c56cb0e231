// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine
import PetJSON

/// The tools of a request: https://platform.openai.com/docs/guides/function-calling
package struct ToolFields: Decodable, Sendable {
  struct Declaration: Decodable, Sendable {
    struct Function: Decodable, Sendable {
      let name: String
      let description: String?
      private(set) var parameters: JSONValue?
      /// Keywords of its schema that its arguments are not held to: a strict one has none.
      private(set) var unenforced: [String] = []
      private let isStrict: Bool

      enum CodingKeys: CodingKey { case name, description, parameters, strict }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        description = try values.decodeIfPresent(String.self, forKey: .description)
        parameters = try values.decodeIfPresent(JSONValue.self, forKey: .parameters).flatMap(Self.declared)
        isStrict = try values.decodeIfPresent(Bool.self, forKey: .strict) ?? false
      }

      mutating func leaveOutUnenforced(within budget: CompilationBudget) {
        guard let declared = parameters else { return }
        (parameters, unenforced) = declared.enforceable(isStrict: isStrict, within: budget)
      }

      /// Nil for a schema that says nothing but that it is an object's: such a function takes no arguments.
      private static func declared(_ schema: JSONValue) -> JSONValue? {
        ["{}", #"{"type":"object"}"#].contains(schema.compactText) ? nil : schema
      }
    }

    private(set) var function: Function

    enum CodingKeys: CodingKey { case type, function }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      guard try values.decode(String.self, forKey: .type) == "function" else {
        throw ServiceError.invalid(
          "tools", "\(JSON.place(decoder.codingPath) ?? "tools"): only functions are understood")
      }
      function = try values.decode(Function.self, forKey: .function)
    }

    func leavingOutUnenforced(within budget: CompilationBudget) -> Declaration {
      var copy = self
      copy.function.leaveOutUnenforced(within: budget)
      return copy
    }
  }

  enum Choice: Decodable, Sendable, Equatable {
    case none, auto, required
    case function(String)

    private struct Function: Decodable { let name: String }
    private enum CodingKeys: CodingKey { case type, function }

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      switch try? value.decode(String.self) {
      case "none": self = .none
      case "auto": self = .auto
      case "required": self = .required
      case .some: throw ServiceError.invalid("tool_choice", "none, auto, required or a function")
      case nil:
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(String.self, forKey: .type) == "function" else {
          throw ServiceError.invalid("tool_choice", "only functions are understood")
        }
        self = .function(try values.decode(Function.self, forKey: .function).name)
      }
    }
  }

  let declarations: [Declaration]
  let choice: Choice
  /// A reply has one call at most, which both values allow.
  let areParallel: Bool?

  enum CodingKeys: String, CodingKey {
    case declarations = "tools"
    case choice = "tool_choice"
    case areParallel = "parallel_tool_calls"
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let budget = CompilationBudget()
    declarations = (try values.decodeIfPresent([Declaration].self, forKey: .declarations) ?? []).map {
      $0.leavingOutUnenforced(within: budget)
    }
    choice = try values.decodeIfPresent(Choice.self, forKey: .choice) ?? .auto
    areParallel = try values.decodeIfPresent(Bool.self, forKey: .areParallel)
    guard declarations.isEmpty else { return }
    // "none" and "auto" ask for nothing that is not done.
    if choice == .required { throw ServiceError.invalid("tool_choice", "tool_choice needs tools") }
    guard areParallel == nil else {
      throw ServiceError.invalid("parallel_tool_calls", "parallel_tool_calls needs tools")
    }
  }

  /// What the model may call; nil: nothing.
  /// - Throws: ``ServiceError``.
  package func registry() throws(ServiceError) -> ToolRegistry? {
    let all = try registry(of: declarations)
    switch choice {
    case .none: return nil
    case .auto, .required: return declarations.isEmpty ? nil : all
    case .function(let name):
      let chosen = declarations.filter { $0.function.name == name }
      guard !chosen.isEmpty else {
        throw .invalid("tool_choice", "tool_choice names a function that is not among the tools")
      }
      return try registry(of: chosen)
    }
  }

  private func registry(of declarations: [Declaration]) throws(ServiceError) -> ToolRegistry {
    do {
      return try ToolRegistry(declarations.map { DeclaredTool($0.function) })
    } catch .invalidType(let name) {
      let index = self.declarations.firstIndex { $0.function.name == name } ?? 0
      let field = "tools[\(index)].function.parameters.type"
      throw .invalid(field, "\(field) must be \"object\", or left out")
    } catch {
      throw .invalid("tools", "\(error)")
    }
  }

  /// Names the tool whose parameters are refused; they are too large together where each alone is not.
  func error(_ error: GrammarError) -> ServiceError {
    for (index, declaration) in declarations.enumerated() {
      guard let schema = declaration.function.parameters else { continue }
      do { _ = try Grammar(jsonSchema: schema.compact) } catch {
        return .schema(error, in: "tools[\(index)].function.parameters")
      }
    }
    return .schema(error, in: "tools")
  }

  /// What holds a reply to text and calls of these tools.
  /// - Throws: `GrammarError`.
  func grammar(_ registry: ToolRegistry, for model: LanguageModel) throws -> OutputGrammar {
    let calls = try model.markFreeGrammar(jsonSchema: registry.callSchema)
    return choice == .auto ? calls.orText : calls
  }
}

/// A tool that the client has: the model may ask for it, and is answered with the next request.
private struct DeclaredTool: Tool {
  let name: String
  let description: String
  let parameters: GenerationSchema

  init(_ function: ToolFields.Declaration.Function) {
    name = function.name
    description = function.description ?? ""
    parameters = GenerationSchema(
      json: function.parameters.map(\.compactText) ?? #"{"type":"object","properties":{}}"#)
  }

  struct NoArguments: Decodable {}

  func call(arguments: NoArguments) async throws -> String { throw CancellationError() }
}

/// A call as messages carry it.
struct ToolCallForm: Codable, Sendable {
  struct Function: Codable, Sendable {
    let name: String
    /// JSON.
    let arguments: String
  }

  /// Of chunks.
  var index: Int?
  let id: String
  var type = "function"
  let function: Function

  init(_ call: ToolCall, id: String, index: Int? = nil) {
    self.index = index
    self.id = id
    function = Function(name: call.tool, arguments: call.argumentsText)
  }

  /// As the model wrote it.
  var text: String { #"{"tool": \#(JSON.text(function.name)), "arguments": \#(function.arguments)}"# }
}

extension JSONValue {
  /// The schema that a reply is held to, and which of its keywords are left out. Strict schemas are whole or refused, and so
  /// are those that are wrong, where they are compiled.
  func enforceable(
    isStrict: Bool, within budget: CompilationBudget
  ) -> (schema: JSONValue, unenforced: [String]) {
    guard !isStrict, let part = try? EnforceableSchema(self, within: budget) else { return (self, []) }
    return (part.value, part.leftOut)
  }
}
