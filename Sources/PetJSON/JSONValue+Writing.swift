// SPDX-License-Identifier: Apache-2.0
extension JSONValue {
  /// Compact JSON: no white space, strings in their canonical spelling, numbers as they were written.
  package var compact: [UInt8] {
    switch self {
    case .null: return Array("null".utf8)
    case .bool(let value): return Array((value ? "true" : "false").utf8)
    case .number(let text): return text
    case .string(let text): return JSONSpelling.quoted(text)
    case .array(let elements): return Self.enclosed(0x5B, elements.map(\.compact), 0x5D)
    case .object(let object):
      return Self.enclosed(0x7B, object.members.map { JSONSpelling.quoted($0.key) + [0x3A] + $0.value.compact }, 0x7D)
    }
  }

  /// As ``compact``.
  package var compactText: String { String(decoding: compact, as: UTF8.self) }

  private static func enclosed(_ open: UInt8, _ parts: [[UInt8]], _ close: UInt8) -> [UInt8] {
    [open] + Array(parts.joined(separator: [0x2C])) + [close]
  }

  /// JSON for people to read and edit: two spaces for each level; strings and numbers as in ``compact``.
  package var indented: [UInt8] {
    var text: [UInt8] = []
    write(to: &text, level: 0)
    return text + [0x0A]
  }

  private func write(to text: inout [UInt8], level: Int) {
    let inner: [(lead: [UInt8], value: JSONValue)]
    switch self {
    case .array(let elements) where !elements.isEmpty: inner = elements.map { ([], $0) }
    case .object(let object) where !object.members.isEmpty:
      inner = object.members.map { (JSONValue.string($0.key).compact + Array(": ".utf8), $0.value) }
    default:
      text += compact
      return
    }
    text.append(array == nil ? UInt8(ascii: "{") : UInt8(ascii: "["))
    for (index, member) in inner.enumerated() {
      text += (index == 0 ? "\n" : ",\n").utf8
      text += String(repeating: "  ", count: level + 1).utf8
      text += member.lead
      member.value.write(to: &text, level: level + 1)
    }
    text += ("\n" + String(repeating: "  ", count: level)).utf8
    text.append(array == nil ? UInt8(ascii: "}") : UInt8(ascii: "]"))
  }
}
