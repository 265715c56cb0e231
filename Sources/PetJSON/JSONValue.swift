// SPDX-License-Identifier: Apache-2.0
/// A JSON value in memory. Texts are bytes of UTF-8: `String` takes different spellings of an accent for one, JSON does
/// not.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// As written.
  case number([UInt8])
  case string([UInt8])
  case array([JSONValue])
  case object(JSONObject)

  package init(text: String) { self = .string(Array(text.utf8)) }

  /// A number that is written as JSON has it.
  package init(number: some FixedWidthInteger) { self = .number(Array("\(number)".utf8)) }

  /// - Parameter number: finite.
  package init(number: Double) { self = .number(Array("\(number)".utf8)) }
}
