// SPDX-License-Identifier: Apache-2.0
/// Why a JSON text was refused. Lines and columns count from 1; a column is a code point. No case holds a value of the text.
package enum JSONError: Error, Equatable, Sendable {
  /// The text is not JSON, or not of the form that the reader asked for.
  case syntax(line: Int, column: Int, problem: String)
  case tooLarge(JSONLimit, limit: Int)
  /// The value at `path`, such as `examples[2].pet`, is not what it must be.
  case invalid(line: Int, column: Int, path: String, problem: String)
}

/// Which of the reader's limits was reached.
package enum JSONLimit: String, Sendable, Equatable {
  case bytes = "bytes of text"
  case nesting = "levels of nesting"
  case values = "values"
}

extension JSONError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .syntax(let line, let column, let problem): "line \(line), column \(column): \(problem)"
    case .tooLarge(let what, let limit): "more than \(limit) \(what.rawValue)"
    case .invalid(let line, let column, let path, let problem):
      "line \(line), column \(column): " + (path.isEmpty ? problem : "\"\(path)\" \(problem)")
    }
  }
}
