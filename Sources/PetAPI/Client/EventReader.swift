// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Takes server-sent events apart as they come: https://html.spec.whatwg.org/multipage/server-sent-events.html
package struct EventReader: Sendable {
  package struct Event: Sendable, Equatable {
    package var name: String
    package var data: String

    package init(name: String, data: String) { (self.name, self.data) = (name, data) }

    /// Its data, decoded; nil where it is something else.
    package func value<Value: Decodable>(_ type: Value.Type) -> Value? {
      try? JSONDecoder().decode(type, from: Data(data.utf8))
    }
  }

  /// Of one event; a server that sends more is none of ours.
  private static let largest = 4 << 20

  private var line: [UInt8] = []
  private var name = ""
  private var data: [String] = []
  /// Of all of ``data``.
  private var dataBytes = 0
  private var lastWasReturn = false

  package init() {}

  /// The events that are complete with these bytes.
  package mutating func append(_ bytes: some Sequence<UInt8>) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      defer { lastWasReturn = byte == UInt8(ascii: "\r") }
      if byte == UInt8(ascii: "\n"), lastWasReturn { continue }
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
        if line.count < Self.largest { line.append(byte) }
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    guard !text.isEmpty else {
      defer { (name, data, dataBytes) = ("", [], 0) }
      return data.isEmpty ? nil : Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : ""
    if value.first == " " { value.removeFirst() }
    switch parts[0] {
    case "event": name = String(value)
    case "data" where dataBytes < Self.largest:
      data.append(String(value))
      dataBytes += value.utf8.count + 1
    default: break
    }
    return nil
  }
}
