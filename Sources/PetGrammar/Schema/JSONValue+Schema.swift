// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension JSONValue {
  /// The text of a schema, as JSON.
  init(schema: [UInt8], limits: GrammarLimits) throws(GrammarError) {
    do {
      try self.init(parsing: schema, limits: JSONLimits(bytes: limits.sourceBytes, nesting: limits.nesting))
    } catch {
      switch error {
      case .syntax(let line, let column, let problem), .invalid(let line, let column, _, let problem):
        throw .syntax(line: line, column: column, problem: problem)
      case .tooLarge(.bytes, let limit): throw .tooLarge(.sourceBytes, limit: limit)
      case .tooLarge(.nesting, let limit): throw .tooLarge(.nesting, limit: limit)
      case .tooLarge(.values, let limit): throw .tooLarge(.values, limit: limit)
      }
    }
  }
}
