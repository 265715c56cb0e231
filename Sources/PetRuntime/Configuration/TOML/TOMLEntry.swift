// SPDX-License-Identifier: Apache-2.0
/// A place in a text. Both count from 1; a column is one Unicode scalar.
public struct SourcePosition: Sendable, Equatable {
  public var line: Int
  public var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// One "key = value" of a document.
package struct TOMLEntry: Equatable {
  /// From the top: ["memory", "budget"].
  package var path: [String]
  package var keyPosition: SourcePosition
  package var value: TOMLScalar
  package var valuePosition: SourcePosition
}

/// A value that is not made of others.
package enum TOMLScalar: Equatable {
  case string(String)
  case integer(Int64)
  case float(Double)
  case boolean(Bool)
}
