// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Synchronization
import Tracing

/// Runs one call of a tool: decodes its arguments, minds the time, tells metrics and trace how it went. What goes in and comes
/// out is in neither.
struct ToolRunner: Sendable {
  let timeLimit: Duration?
  let clock: any Clock<Duration>

  /// - Throws: `ToolError.invalidArguments`, `.failed`, `.timedOut`; `CancellationError`.
  func run(_ tool: any Tool, _ call: ToolCall) async throws -> String {
    let span = InstrumentationSystem.tracer.startSpan("pet.tool")
    if span.isRecording {
      span.updateAttributes {
        $0["gen_ai.operation.name"] = "execute_tool"
        $0["gen_ai.tool.name"] = tool.name
      }
    }
    func tell(_ outcome: String, isError: Bool) {
      if isError {
        span.attributes["error.type"] = outcome
        span.setStatus(SpanStatus(code: .error))
      }
      span.end()
      Counter(label: "pet_tool_calls_total", dimensions: [("tool", tool.name), ("outcome", outcome)]).increment()
    }
    do {
      let text = try await ServiceContext.withValue(span.context) { try await perform(call, with: tool) }
      tell("done", isError: false)
      return text
    } catch {
      tell(Self.name(of: error), isError: !(error is CancellationError))
      throw error
    }
  }

  private func perform(_ call: ToolCall, with tool: some Tool) async throws -> String {
    // Decoded here: what the model got wrong is known before anything is done.
    let arguments = try decoded(call, for: tool)
    do {
      return try await withLimit(of: tool.name) { try await tool.call(arguments: arguments) }
    } catch let error as CancellationError where Task.isCancelled {
      throw error
    } catch let error as ToolError {
      throw error
    } catch {
      throw ToolError.failed(tool: tool.name, error)
    }
  }

  private func decoded<T: Tool>(_ call: ToolCall, for tool: T) throws(ToolError) -> T.Arguments {
    try call.arguments(as: T.Arguments.self)
  }

  /// Runs `body` in a task of its own, so that one that does not mind its cancellation holds nobody up: it is cancelled and left
  /// behind.
  private func withLimit(
    of tool: String, _ body: @escaping @Sendable () async throws -> String
  ) async throws -> String {
    let first = FirstResult()
    let work = Task { first.give(await Result { try await body() }) }
    let alarm = timeLimit.map { limit in
      Task { [clock] in
        guard (try? await clock.sleep(for: limit)) != nil else { return }
        first.give(.failure(ToolError.timedOut(tool: tool, limit: limit)))
      }
    }
    defer {
      work.cancel()
      alarm?.cancel()
    }
    return try await withTaskCancellationHandler {
      try await first.value()
    } onCancel: {
      first.give(.failure(CancellationError()))
    }
  }

  private static func name(of error: any Error) -> String {
    switch error {
    case is CancellationError: "cancelled"
    case ToolError.invalidArguments: "invalid_arguments"
    case ToolError.timedOut: "timed_out"
    default: "failed"
    }
  }
}

/// What comes first of several results; the others are forgotten.
private final class FirstResult: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<String, any Error>)
    case given(Result<String, any Error>)
    case done
  }

  private let state = Mutex(State.open)

  func give(_ result: Result<String, any Error>) {
    let waiter: CheckedContinuation<String, any Error>? = state.withLock { state in
      switch state {
      case .open:
        state = .given(result)
        return nil
      case .awaited(let continuation):
        state = .done
        return continuation
      case .given, .done: return nil
      }
    }
    waiter?.resume(with: result)
  }

  /// Called once.
  func value() async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      let result: Result<String, any Error>? = state.withLock { state in
        guard case .given(let result) = state else {
          state = .awaited(continuation)
          return nil
        }
        state = .done
        return result
      }
      if let result { continuation.resume(with: result) }
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
