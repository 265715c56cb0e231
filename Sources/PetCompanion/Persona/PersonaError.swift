// SPDX-License-Identifier: Apache-2.0
/// Why a persona or a character card was refused. Lines and columns count from 1; a column is a code point.
public enum PersonaError: Error, Equatable, Sendable {
  /// The text is not JSON.
  case syntax(line: Int, column: Int, problem: String)
  /// The value at `path`, such as `examples[2].pet`, is not what it must be.
  case invalid(line: Int, column: Int, path: String, problem: String)
  /// More bytes or levels of nesting than the limit.
  case tooLarge(String, limit: Int)
  /// The picture of a card is not a whole PNG file, or has no card in it.
  case image(offset: Int, problem: String)
  case unreadable(String)
  /// No persona of that name; `known` are those there are.
  case unknown(name: String, known: [String])
}

extension PersonaError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .syntax(let line, let column, let problem): "\(line):\(column): \(problem)"
    case .invalid(let line, let column, let path, let problem):
      path.isEmpty ? "\(line):\(column): \(problem)" : "\(line):\(column): \"\(path)\" \(problem)"
    case .tooLarge(let what, let limit): "more than \(limit) \(what)"
    case .image(let offset, let problem): "at byte \(offset): \(problem)"
    case .unreadable(let reason): reason
    case .unknown(let name, let known): "there is no persona \(name); there are \(known.joined(separator: ", "))"
    }
  }
}

/// A file that was refused, and why.
public struct PersonaFileError: Error, Equatable, Sendable, CustomStringConvertible {
  public let file: String
  public let problem: PersonaError

  public init(file: String, problem: PersonaError) {
    self.file = file
    self.problem = problem
  }

  public var description: String {
    switch problem {
    case .syntax, .invalid: "\(file):\(problem)"
    default: "\(file): \(problem)"
    }
  }
}
