// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Holds a streamed reply back as long as it may be a call of a tool, which is not for the person to read.
package struct ToolCallFilter: Sendable {
  private var held = ""
  private var isText = false

  package init() {}

  /// The text that may be shown after `text` has come.
  package mutating func append(_ text: String) -> String {
    if isText { return text }
    held += text
    let start = held.utf8.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    if start.isEmpty || start.first == UInt8(ascii: "{") || start.prefix(3).allSatisfy({ $0 == UInt8(ascii: "`") }) {
      return ""
    }
    isText = true
    return flush()
  }

  /// What was held back of a reply that is no call.
  package mutating func flush() -> String {
    defer { held = "" }
    return held
  }
}

/// The same, for pieces that come from elsewhere.
final class LockedFilter: Sendable {
  private let filter = Mutex(ToolCallFilter())

  func append(_ text: String) -> String { filter.withLock { $0.append(text) } }

  func flush() -> String { filter.withLock { $0.flush() } }
}
