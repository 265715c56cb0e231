// SPDX-License-Identifier: Apache-2.0
import PetText

/// Why a grammar or a JSON schema was refused.
public enum GrammarError: Error, Equatable, Sendable {
  /// The text breaks the notation. Lines and columns count from 1; a column is a code point.
  case syntax(line: Int, column: Int, problem: String)
  case undefinedRule(name: String, line: Int, column: Int)
  case duplicateRule(name: String, line: Int, column: Int)
  /// No rule of that name, where matching starts.
  case missingRoot(name: String)
  /// The rule can call itself before it reads a byte. Write it with `*` or with the recursion at the right.
  case leftRecursion(rule: String)
  case tooLarge(GrammarLimit, limit: Int)
  /// No text at all fits the grammar, or none within the bound of depth.
  case emptyLanguage
  /// The schema uses a keyword that cannot be enforced exactly. `pointer` is an RFC 6901 JSON pointer to its schema.
  case unsupported(keyword: String, pointer: String, reason: String)
  /// The value of a keyword is not of the form that the specification asks for.
  case invalidKeyword(keyword: String, pointer: String, problem: String)
  /// A `$ref` that names nothing in the document, or leads back to itself without reading anything.
  case unresolvedReference(reference: String, pointer: String)
}

/// Which of `GrammarLimits` was reached.
public enum GrammarLimit: String, Sendable, Equatable {
  case sourceBytes = "bytes of text"
  case values = "values"
  case rules = "rules"
  case states = "automaton states"
  case repetitions = "repetitions"
  case nesting = "levels of nesting"
  case stacks = "parse stacks at once"
  case work = "steps of compilation"
  case alternatives = "combined alternatives"
}

extension GrammarError: CustomStringConvertible {
  /// One line: names are those of the grammar.
  public var description: String { message.oneLine }

  private var message: String {
    switch self {
    case .syntax(let line, let column, let problem): "line \(line), column \(column): \(problem)"
    case .undefinedRule(let name, let line, let column):
      "line \(line), column \(column): rule \(name) is not defined"
    case .duplicateRule(let name, let line, let column):
      "line \(line), column \(column): rule \(name) is defined twice"
    case .missingRoot(let name): "the grammar has no rule \(name)"
    case .leftRecursion(let rule):
      "rule \(rule) calls itself before it reads anything; put the recursion at the right or use *"
    case .tooLarge(let what, let limit): "the grammar needs more than \(limit) \(what.rawValue)"
    case .emptyLanguage: "no text fits the grammar"
    case .unsupported(let keyword, let pointer, let reason): "#\(pointer): \(keyword) cannot be enforced: \(reason)"
    case .invalidKeyword(let keyword, let pointer, let problem): "#\(pointer): \(keyword): \(problem)"
    case .unresolvedReference(let reference, let pointer): "#\(pointer): $ref \(reference) leads nowhere"
    }
  }
}
