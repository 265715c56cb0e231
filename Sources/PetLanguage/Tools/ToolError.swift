// SPDX-License-Identifier: Apache-2.0
/// What is wrong with a tool, or with its use. Nothing here holds the words of a conversation; ``failed(tool:_:)`` holds what the
/// tool threw.
public enum ToolError: Error, CustomStringConvertible {
  case invalidName(String)
  case duplicateName(String)
  /// Its parameters are no JSON object, or a larger one than a model should be made to read.
  case invalidSchema(tool: String)
  /// Its parameters have a type that is not `object`.
  case invalidType(tool: String)
  /// The model asked for a tool in JSON that is none, or is cut off.
  case malformedCall
  case unknownTool(known: [String])
  /// - Parameter path: which of the arguments, as `list[2].name`.
  case invalidArguments(tool: String, path: String, problem: ArgumentProblem)
  case failed(tool: String, any Error)
  case timedOut(tool: String, limit: Duration)
  /// The model asked for tools again and again.
  case tooManyCalls(limit: Int)

  public enum ArgumentProblem: Sendable, Equatable, CustomStringConvertible {
    case missing
    /// What it should be.
    case notA(String)
    /// It has the right type and is not among what is allowed.
    case invalid

    public var description: String {
      switch self {
      case .missing: "missing"
      case .notA(let type): "not of type \(type)"
      case .invalid: "not allowed"
      }
    }
  }

  public var description: String {
    switch self {
    case .invalidName(let name):
      "tool '\(name)': not a name; give 1 to 64 letters, digits, '_' and '-'"
    case .duplicateName(let name): "tool '\(name)': there are two of this name; rename one"
    case .invalidSchema(let tool):
      "tool '\(tool)': its parameters are not a JSON object of at most \(ToolRegistry.maximumSchemaBytes) bytes"
    case .invalidType(let tool): "tool '\(tool)': the type of its parameters must be \"object\", or left out"
    case .malformedCall: #"not JSON as {"tool": NAME, "arguments": {...}}; write it whole, and nothing else"#
    case .unknownTool(let known): "no such tool; there are \(known.joined(separator: ", "))"
    case .invalidArguments(let tool, let path, let problem): "tool '\(tool)': \(path) is \(problem)"
    case .failed(let tool, let error): "tool '\(tool)': \(error)"
    case .timedOut(let tool, let limit): "tool '\(tool)': not done within \(limit); raise ToolPolicy.timeLimit"
    case .tooManyCalls(let limit):
      "the model asked for tools more than \(limit) times without an answer; raise ToolPolicy.maximumCalls"
    }
  }
}
