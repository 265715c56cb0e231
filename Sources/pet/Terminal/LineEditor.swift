// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetRuntime
import Synchronization

/// Reads one line after another: with editing, history and completion on a terminal, plainly everywhere else.
package final class LineEditor: Sendable {
  package enum Mode: Sendable {
    case editing
    case plain
  }

  package let mode: Mode
  /// Whether somebody types at a terminal.
  package let isInteractive: Bool
  private let source: any LineSource
  private let wake: WakePipe
  private let interjections = Interjections()
  private let isReading = Atomic<Bool>(false)

  /// - Parameters:
  ///   - commands: what Tab completes at the start of a line, such as "/help".
  ///   - arguments: what it does behind one.
  ///   - history: the file that remembers lines between runs (mode 0600, the last 1000), or nil for none.
  ///   - environment: its TERM names the terminal; editing needs both streams on one that is not "dumb".
  ///   - leaveHint: said at the second Ctrl-C within two seconds on an empty line.
  package init(
    commands: [String] = [], arguments: @escaping @Sendable (String) -> CommandCompletion = { _ in .none },
    history: HistoryFile? = nil, environment: [String: String],
    leaveHint: String = "Ctrl-D or /quit leaves.", input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO
  ) throws {
    let isTerminal = isatty(input) == 1
    isInteractive = isTerminal
    let terminal = environment["TERM"] ?? ""
    wake = try WakePipe()
    if isTerminal, isatty(output) == 1, terminal != "", terminal != "dumb",
      let editing = EditingLineSource(
        input: input, output: output, terminal: terminal, commands: commands, arguments: arguments, history: history,
        interjections: interjections, wake: wake, leaveHint: leaveHint)
    {
      source = editing
      mode = .editing
    } else {
      source = PlainLineSource(
        descriptor: input, isTerminal: isTerminal, interjections: interjections, wake: wake, leaveHint: leaveHint)
      mode = .plain
    }
  }

  /// Writes the line that was read last into the file of lines, or keeps it for this run alone. Between two lines only.
  package func settle(keeps: Bool) { source.settle(keeps: keeps) }

  /// Erases the lines that were typed, here and in their file. Between two lines only.
  /// - Parameter words: of the lines that are forgotten; nil: all are.
  package func forgetHistory(saying words: String? = nil) { source.forgetHistory(saying: words) }

  /// Shows whole lines above the line that is being typed, which stays as it is. Nothing is shown while none is read.
  /// - Returns: whether it is shown.
  @discardableResult
  package func interject(_ text: String) -> Bool {
    guard isReading.load(ordering: .acquiring) else { return false }
    interjections.add(text)
    wake.send(LineWake.interject)
    return true
  }

  /// The next line without its end, or nil at the end of input (Ctrl-D on an empty line).
  ///
  /// On a terminal Ctrl-C abandons the line and prompts anew, which needs `SignalMonitor.shared` started; cancelling
  /// the task throws `CancellationError`. `prompt` may hold escape sequences between two U+0001.
  package func readLine(prompt: String) async throws -> String? {
    guard !isReading.exchange(true, ordering: .acquiringAndReleasing) else { throw LineEditorError.busy }
    defer { isReading.store(false, ordering: .releasing) }
    let source = source
    let wake = wake
    let handler = SignalMonitor.shared.push { number in
      guard let signal = UInt8(exactly: number), source.wants(signal: number) else { return false }
      wake.send(signal)
      return true
    }
    defer { SignalMonitor.shared.remove(handler) }
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await onOwnThread { try source.readLine(prompt: prompt) }
    } onCancel: {
      wake.send(LineWake.cancel)
    }
  }
}
