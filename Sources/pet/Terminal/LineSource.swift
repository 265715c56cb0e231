// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Where lines come from. Called by one thread at a time; `LineEditor` sees to that.
protocol LineSource: Sendable {
  func readLine(prompt: String) throws -> String?
  /// Whether a signal that arrives during `readLine` is to be passed on through the wake pipe.
  func wants(signal: Int32) -> Bool
  /// What was read last goes into the file of lines, or nowhere. A line that is never settled goes nowhere.
  func settle(keeps: Bool)
  /// Erases what it remembers of earlier lines.
  func forgetHistory(saying words: String?)
}

/// Bytes of the wake pipe: signal numbers, and one that is none.
enum LineWake {
  static let cancel: UInt8 = 255
  /// Something is to be shown above the line: see ``Interjections``.
  static let interject: UInt8 = 254
}

/// What is to be shown above a line while it is typed.
final class Interjections: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }

  func take() -> [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }
}

/// When to say how to leave: at the second Ctrl-C in a row on an empty line.
struct LeaveHint {
  let text: String
  private var count = InterruptCount(limit: 2)

  init(_ text: String) { self.text = text }

  mutating func interrupted(lineWasEmpty: Bool, at now: ContinuousClock.Instant = .now) -> String? {
    guard lineWasEmpty else {
      count.reset()
      return nil
    }
    return count.add(at: now) ? text : nil
  }
}
