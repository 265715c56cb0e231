// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What takes the place of a `?` in a statement.
package enum SQLiteValue {
  case null
  case integer(Int64)
  case text(String)
  case blob(Data)

  /// A number, or null.
  static func optional(_ number: Int64?) -> SQLiteValue { number.map { .integer($0) } ?? .null }
}
