// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// Values of personas and cards, within their limits.
extension JSONDocument.Node {
  package func elements() throws(JSONError) -> [JSONDocument.Node] { try elements(most: PersonaLimits.members) }

  package func text() throws(JSONError) -> String { try text(limit: PersonaLimits.textBytes) }

  package func line() throws(JSONError) -> String { try text(limit: PersonaLimits.lineBytes) }

  /// A text that says something, in one line.
  package func name() throws(JSONError) -> String {
    let text = try text(limit: PersonaLimits.nameBytes)
    guard text == PromptText.line(text), !text.isEmpty else {
      throw error("must be one line of text without marks of control")
    }
    return text
  }

  package func list<Member>(
    _ key: String, _ read: (JSONDocument.Node) throws(JSONError) -> Member
  ) throws(JSONError) -> [Member] {
    guard let node = try member(key) else { return [] }
    var members: [Member] = []
    for element in try node.elements() { members.append(try read(element)) }
    return members
  }
}

extension JSONDocument {
  /// - Parameter bytes: how many there may be.
  package init(persona json: [UInt8], bytes: Int = PersonaLimits.fileBytes) throws(JSONError) {
    try self.init(json, limits: JSONLimits(bytes: bytes, nesting: PersonaLimits.nesting))
  }
}

extension PersonaError {
  init(_ error: JSONError) {
    switch error {
    case .syntax(let line, let column, let problem): self = .syntax(line: line, column: column, problem: problem)
    case .tooLarge(let what, let limit): self = .tooLarge(what.rawValue, limit: limit)
    case .invalid(let line, let column, let path, let problem):
      self = .invalid(line: line, column: column, path: path, problem: problem)
    }
  }

  /// Runs what reads JSON.
  static func reading<Value>(_ read: () throws(JSONError) -> Value) throws(PersonaError) -> Value {
    do { return try read() } catch { throw PersonaError(error) }
  }
}
