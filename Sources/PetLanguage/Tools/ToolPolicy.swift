// SPDX-License-Identifier: Apache-2.0
/// How far a model may go with tools, and what becomes of each of its replies.
public struct ToolPolicy: Sendable, Equatable {
  /// Calls for one message, mistaken ones included.
  public var maximumCalls: Int
  /// Time for one call; nil: none.
  public var timeLimit: Duration?
  /// Bytes of a result that the model reads; what is longer is cut.
  public var maximumResultBytes: Int

  public init(maximumCalls: Int = 4, timeLimit: Duration? = .seconds(30), maximumResultBytes: Int = 4096) {
    self.maximumCalls = max(0, maximumCalls)
    self.timeLimit = timeLimit
    self.maximumResultBytes = max(0, maximumResultBytes)
  }

  package enum Decision: Sendable, Equatable {
    /// The reply is for the person.
    case answer
    case call(ToolCall)
    /// The model's mistake: it is told, and may mend it.
    case explain(Mistake)
    case stop
  }

  package enum Mistake: Sendable, Equatable { case malformed, unknownTool }

  /// What becomes of a reply.
  /// - Parameters:
  ///   - calls: those before it, for the same message.
  ///   - known: the names of the tools.
  package func decide(
    _ reply: ToolReply, _ reason: GenerationResult.FinishReason, calls: Int, known: [String]
  ) -> Decision {
    switch reason {
    // Nobody waits for more, or the time is up, or it is not the model's reply.
    case .cancelled, .deadline, .flag: return .answer
    case .stop, .length, .loop, .context: break
    }
    if reply == .text { return .answer }
    guard calls < maximumCalls else { return .stop }
    switch reply {
    case .text: return .answer
    case .malformed: return .explain(.malformed)
    case .call(let call): return known.contains(call.tool) ? .call(call) : .explain(.unknownTool)
    }
  }

  /// What the model reads of a tool's result: as JSON, so that no result can pass for anything else.
  package func message(_ result: String, of tool: String) -> String {
    var bytes = result.utf8.prefix(maximumResultBytes)
    let isCut = bytes.count < result.utf8.count
    // Whole characters.
    while !bytes.isEmpty, String(bytes) == nil { bytes.removeLast() }
    let content = JSONText.quoted(String(bytes) ?? "")
    return #"{"tool_result": \#(JSONText.quoted(tool)), "content": \#(content)\#(isCut ? #", "cut": true"# : "")}"#
  }

  /// What the model reads of its own mistake.
  static func message(_ error: ToolError) -> String { #"{"tool_error": \#(JSONText.quoted("\(error)"))}"# }
}
