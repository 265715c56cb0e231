// SPDX-License-Identifier: Apache-2.0
/// Ends a streamed text at the first of some strings, which is left out. Text that may be the start of one is held back
/// until it is clear.
package struct StopStringFilter {
  private let stops: [[UInt8]]
  private var held: [UInt8] = []
  package private(set) var isStopped = false

  package init(_ stops: [String]) { self.stops = stops.filter { !$0.isEmpty }.map { Array($0.utf8) } }

  /// The text that may be shown after `text` has come.
  package mutating func append(_ text: String) -> String {
    guard !isStopped else { return "" }
    guard !stops.isEmpty else { return text }
    held += text.utf8
    var end = held.count
    for start in held.indices {
      // The earliest position wins; stops that begin there are complete, or may become so.
      let rest = held[start...]
      if stops.contains(where: { rest.starts(with: $0) }) {
        isStopped = true
        end = start
        break
      }
      if stops.contains(where: { $0.starts(with: rest) }) {
        end = start
        break
      }
    }
    let shown = String(decoding: held[..<end], as: UTF8.self)
    held = isStopped ? [] : Array(held[end...])
    return shown
  }

  /// What was held back, when no more text comes: up to a stop in it, behind the start of a longer one.
  package mutating func flush() -> String {
    defer { held = [] }
    let end = held.indices.first { start in stops.contains { held[start...].starts(with: $0) } }
    if end != nil { isStopped = true }
    return String(decoding: held[..<(end ?? held.count)], as: UTF8.self)
  }
}
