// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import Synchronization

/// Progress on standard error: a bar on a terminal, a line every few seconds elsewhere, nothing for what is done
/// within a second.
package final class ProgressBar: Sendable {
  private struct State {
    var start: ContinuousClock.Instant?
    var lastDrawn: ContinuousClock.Instant?
    /// What was done when the bar was last drawn.
    var drawn: UInt64?
    var isFinished = false
    var done: UInt64 = 0
  }

  /// What is counted.
  package enum Unit: Sendable {
    case bytes, tokens, results

    func text(_ count: UInt64) -> String {
      switch self {
      case .bytes: ByteCount.text(count)
      case .tokens: "\(count) tokens"
      case .results: "\(count)"
      }
    }
  }

  private let label: String
  private let total: UInt64
  private let unit: Unit
  private let output: Output
  private let state = Mutex(State())

  /// - Parameter total: how much there is to do; 0 when unknown.
  package init(_ label: String, total: UInt64, unit: Unit = .bytes, output: Output = .error) {
    self.label = TerminalText.line(label)
    self.total = total
    self.unit = unit
    self.output = output
  }

  /// - Parameter done: how much is done so far.
  package func update(_ done: UInt64) {
    let now = ContinuousClock.now
    let interval: Duration = output.isTerminal ? .milliseconds(100) : .seconds(5)
    let elapsed: Duration? = state.withLock { state in
      let start = state.start ?? now
      state.start = start
      state.done = done
      guard !state.isFinished, start.duration(to: now) >= .seconds(1) else { return nil }
      if let last = state.lastDrawn, last.duration(to: now) < interval { return nil }
      state.lastDrawn = now
      state.drawn = done
      return start.duration(to: now)
    }
    guard let elapsed else { return }
    let facts = ProgressLine(label: label, done: done, total: total, unit: unit, elapsed: elapsed)
    if output.isTerminal {
      output.write("\r\u{1B}[K" + facts.bar(width: output.columns ?? 80))
    } else {
      output.writeLine(facts.plain)
    }
  }

  /// Removes the bar; where there is no terminal, a last line says that all is done, if it is.
  package func finish() {
    let (drawn, done): (UInt64?, UInt64) = state.withLock { state in
      defer { state.isFinished = true }
      return (state.isFinished ? nil : state.drawn, state.done)
    }
    guard let drawn else { return }
    if output.isTerminal {
      output.write("\r\u{1B}[K")
    } else if total > 0, drawn < total, done >= total {
      output.writeLine(ProgressLine(label: label, done: done, total: total, unit: unit, elapsed: .zero).plain)
    }
  }
}

/// How far something is, as text.
package struct ProgressLine: Sendable {
  package var label: String
  package var done: UInt64
  package var total: UInt64
  package var unit: ProgressBar.Unit
  package var elapsed: Duration

  package init(
    label: String, done: UInt64, total: UInt64, unit: ProgressBar.Unit = .bytes, elapsed: Duration
  ) {
    self.label = label
    self.done = done
    self.total = total
    self.unit = unit
    self.elapsed = elapsed
  }

  private var fraction: Double { total == 0 ? 0 : min(1, Double(done) / Double(total)) }

  /// "pulling x: 42 % of 98.4 MB"
  package var plain: String {
    total == 0
      ? "\(label): \(unit.text(done))" : "\(label): \(Int(fraction * 100)) % of \(unit.text(total))"
  }

  /// At most `width - 1` columns: label, bar, percent, speed, time left; the bar goes first where there is no room.
  package func bar(width: Int) -> String {
    let seconds = max(Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18, 0.001)
    // Far from where a Double no longer fits an integer.
    let speed = min(Double(done) / seconds, 1e15)
    var tail = "\(unit.text(UInt64(speed)))/s"
    if total > 0 {
      tail = "\(Int(fraction * 100)) % of \(unit.text(total))  \(tail)"
      let left = done < total && speed > 0 ? Double(total - done) / speed : 0
      if left > 0, left < 360_000 { tail += "  \(Int(left.rounded(.up))) s left" }
    }
    let room = width - 1 - label.count - tail.count - 4
    guard room >= 10, total > 0 else { return String("\(label)  \(tail)".prefix(max(0, width - 1))) }
    let cells = min(room, 40)
    let filled = Int(fraction * Double(cells))
    return "\(label)  \(String(repeating: "█", count: filled))\(String(repeating: "░", count: cells - filled))  \(tail)"
  }
}
