// SPDX-License-Identifier: Apache-2.0
/// A conversation in which the model may use tools while it answers.
///
/// Calls and what they gave are turns of the conversation below: the model sees them, the person does not.
///
/// ```swift
/// let session = try ToolSession(model: model, tools: [Weather()], instructions: "You are a kind cat.")
/// let answer = try await session.respond(to: "Is it raining in Oslo?")
/// ```
public actor ToolSession<Session: RespondingSession>: RespondingSession {
  /// Gives the options for the next reply. What is to allow nothing but text and well-formed calls (``ToolRegistry/callSchema``)
  /// is set here.
  package typealias Constraint = @Sendable (GenerationOptions, ToolRegistry) throws -> GenerationOptions

  package nonisolated let tools: ToolRegistry
  public nonisolated let policy: ToolPolicy
  private let session: Session
  private let runner: ToolRunner
  private let constraint: Constraint
  private var turns: [LanguageModelSession.Turn] = []
  private nonisolated let queue = TurnQueue()

  /// - Parameters:
  ///   - instructions: the system text; what the model is told of the tools follows it.
  ///   - clock: by which ``ToolPolicy/timeLimit`` is measured.
  /// - Throws: `ToolError`; as ``LanguageModelSession/init(model:instructions:adapter:)``.
  public init<Model: RespondingModel>(
    model: Model, tools: [any Tool], instructions: String? = nil, policy: ToolPolicy = ToolPolicy(),
    clock: any Clock<Duration> = ContinuousClock()
  ) throws where Model.Session == Session {
    try self.init(model: model, tools: tools, instructions: instructions, policy: policy, clock: clock) { options, _ in
      options
    }
  }

  package init<Model: RespondingModel>(
    model: Model, tools: [any Tool], instructions: String? = nil, policy: ToolPolicy = ToolPolicy(),
    clock: any Clock<Duration> = ContinuousClock(), constraint: @escaping Constraint
  ) throws where Model.Session == Session {
    self.tools = try ToolRegistry(tools)
    self.policy = policy
    self.constraint = constraint
    runner = ToolRunner(timeLimit: policy.timeLimit, clock: clock)
    let parts = [instructions ?? "", self.tools.instructions].filter { !$0.isEmpty }
    session = try model.makeSession(instructions: parts.isEmpty ? nil : parts.joined(separator: "\n\n"))
  }

  /// What was asked and answered; calls are left out.
  public var transcript: [LanguageModelSession.Turn] { turns }

  public func prewarm() async throws { try await session.prewarm() }

  /// Answers `message`, using tools. Cancelling the task stops the reply, and the tool that runs.
  /// - Parameter onText: receives the answer piece by piece as it comes; calls are kept back.
  /// - Returns: the last reply, with the usage of all.
  /// - Throws: as the session below; `ToolError.failed` where a tool threw, `.timedOut`, `.tooManyCalls`. Calls that were made stay
  ///   in the conversation.
  public func respond(
    to message: String, options: GenerationOptions, onText: @escaping @Sendable (String) -> Void
  ) async throws -> GenerationResult {
    await queue.begin()
    defer { queue.end() }
    let options = try constraint(options, tools)
    var usage = GenerationResult.Usage()
    var next = message
    var calls = 0
    while true {
      var (result, kind) = try await reply(to: next, options, onText)
      usage.add(result.usage)
      switch policy.decide(kind, result.finishReason, calls: calls, known: tools.names) {
      case .answer:
        result.usage = usage
        // A call that was cut off is for nobody to read.
        if kind != .text { result.text = "" }
        if !result.text.isEmpty { turns.append(.init(user: message, reply: result.text)) }
        return result
      case .call(let call): next = try await outcome(of: call)
      case .explain(.malformed): next = ToolPolicy.message(.malformedCall)
      case .explain(.unknownTool): next = ToolPolicy.message(.unknownTool(known: tools.names))
      case .stop: throw ToolError.tooManyCalls(limit: policy.maximumCalls)
      }
      calls += 1
    }
  }

  /// What the model reads of a call: its result, or what was wrong with its arguments. What is wrong with the tool is thrown.
  private func outcome(of call: ToolCall) async throws -> String {
    guard let tool = tools.tool(named: call.tool) else { return ToolPolicy.message(.unknownTool(known: tools.names)) }
    do {
      return policy.message(try await runner.run(tool, call), of: tool.name)
    } catch let error as ToolError {
      guard case .invalidArguments = error else { throw error }
      return ToolPolicy.message(error)
    }
  }

  /// A reply of the session below, of which only what is for the person is shown.
  private func reply(
    to message: String, _ options: GenerationOptions, _ onText: @escaping @Sendable (String) -> Void
  ) async throws -> (GenerationResult, ToolReply) {
    let filter = LockedFilter()
    let result = try await session.respond(to: message, options: options) { piece in
      let shown = filter.append(piece)
      if !shown.isEmpty { onText(shown) }
    }
    let kind = ToolReply(result.text)
    if kind == .text {
      let rest = filter.flush()
      if !rest.isEmpty { onText(rest) }
    }
    return (result, kind)
  }
}

extension GenerationResult.Usage {
  fileprivate mutating func add(_ other: Self) {
    promptTokens += other.promptTokens
    cachedTokens += other.cachedTokens
    completionTokens += other.completionTokens
    guessedTokens += other.guessedTokens
    acceptedTokens += other.acceptedTokens
    droppedTurns += other.droppedTurns
  }
}
