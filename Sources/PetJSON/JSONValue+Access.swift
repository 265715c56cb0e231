// SPDX-License-Identifier: Apache-2.0
extension JSONValue {
  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var string: [UInt8]? {
    if case .string(let text) = self { text } else { nil }
  }

  package var text: String? { string.map { String(decoding: $0, as: UTF8.self) } }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// A number without fraction and exponent that fits `Int`.
  package var integer: Int? {
    if case .number(let digits) = self { Int(String(decoding: digits, as: UTF8.self)) } else { nil }
  }

  /// The nearest finite number.
  package var double: Double? {
    guard case .number(let digits) = self, let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite
    else { return nil }
    return value
  }

  /// The value of a key of an object; nil where there is none, or null.
  package subscript(key: String) -> JSONValue? {
    guard let value = object?[Array(key.utf8)] else { return nil }
    if case .null = value { return nil }
    return value
  }

  /// The members of an object, in their order.
  package var members: [(key: String, value: JSONValue)]? {
    object?.members.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
  }
}
