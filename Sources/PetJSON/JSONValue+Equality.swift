// SPDX-License-Identifier: Apache-2.0
extension JSONValue: Hashable {
  /// As the schema specification has it: numbers are compared by value.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b || (Decimal(a).map { $0 == Decimal(b) } ?? false)
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let text): if let number = Decimal(text) { hasher.combine(number) } else { hasher.combine(text) }
    case .string(let text): hasher.combine(text)
    case .array(let elements): hasher.combine(elements)
    case .object(let object):
      // Their order does not matter.
      var members = 0
      for (key, value) in object.members {
        var member = Hasher()
        member.combine(key)
        member.combine(value)
        members ^= member.finalize()
      }
      hasher.combine(members)
    }
  }
}
