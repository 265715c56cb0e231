import PetGrammar

/// A JSON text that was read, with the text: so that errors say where.
package struct JSONDocument {
  package let bytes: [UInt8]
  package let value: JSONValue

  package init(_ bytes: [UInt8], limit: Int = PersonaLimits.fileBytes) throws(PersonaError) {
    self.bytes = bytes
    let limits = GrammarLimits(sourceBytes: limit, nesting: PersonaLimits.nesting)
    do {
      value = try JSONReader.read(bytes, limits: limits)
    } catch {
      switch error {
      case .syntax(let line, let column, let problem): throw .syntax(line: line, column: column, problem: problem)
      case .tooLarge(let what, let limit): throw .tooLarge(what.rawValue, limit: limit)
      default: throw .syntax(line: 1, column: 1, problem: "\(error)")
      }
    }
  }

  package var root: Node { Node(document: self, value: value, path: []) }

  /// A value, and the way to it.
  package struct Node {
    let document: JSONDocument
    let value: JSONValue
    let path: [JSONStep]

    func error(_ problem: String) -> PersonaError {
      let (line, column) = JSONReader.place(of: path, in: document.bytes)
      return .invalid(line: line, column: column, path: Self.spelled(path), problem: problem)
    }

    private static func spelled(_ path: [JSONStep]) -> String {
      path.reduce(into: "") { spelled, step in
        switch step {
        case .key(let key): spelled += (spelled.isEmpty ? "" : ".") + key.quotable
        case .index(let index): spelled += "[\(index)]"
        }
      }
    }
  }
}

extension JSONDocument.Node {
  private func child(_ value: JSONValue, _ step: JSONStep) -> JSONDocument.Node {
    JSONDocument.Node(document: document, value: value, path: path + [step])
  }

  package func object() throws(PersonaError) -> JSONObject {
    guard let object = value.object else { throw error("must be an object") }
    return object
  }

  /// The value of a key; nil where there is none, or null.
  package func member(_ key: String) throws(PersonaError) -> JSONDocument.Node? {
    guard let value = try object()[Array(key.utf8)] else { return nil }
    if case .null = value { return nil }
    return child(value, .key(key))
  }

  package func required(_ key: String) throws(PersonaError) -> JSONDocument.Node {
    guard let node = try member(key) else { throw error("\(path.isEmpty ? "the file" : "it") needs \"\(key)\"") }
    return node
  }

  package func members() throws(PersonaError) -> [JSONDocument.Node] {
    try object().members.map { child($0.value, .key(String(decoding: $0.key, as: UTF8.self))) }
  }

  /// - Parameter most: how many there may be.
  package func elements(most: Int = PersonaLimits.members) throws(PersonaError) -> [JSONDocument.Node] {
    guard let array = value.array else { throw error("must be an array") }
    guard array.count <= most else { throw error("must have at most \(most) members") }
    return array.enumerated().map { child($0.element, .index($0.offset)) }
  }

  package func text(limit: Int = PersonaLimits.textBytes) throws(PersonaError) -> String {
    guard let text = value.string else { throw error("must be a string") }
    guard text.count <= limit else { throw error("must have at most \(limit) bytes") }
    return String(decoding: text, as: UTF8.self)
  }

  /// A text that says something, in one line.
  package func name() throws(PersonaError) -> String {
    let text = try text(limit: PersonaLimits.nameBytes)
    guard text == PromptText.line(text), !text.isEmpty else {
      throw error("must be one line of text without marks of control")
    }
    return text
  }

  package func bool() throws(PersonaError) -> Bool {
    guard case .bool(let value) = value else { throw error("must be true or false") }
    return value
  }

  package func number() throws(PersonaError) -> Double {
    guard case .number(let text) = value, let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite
    else { throw error("must be a number") }
    return number
  }
}

extension String {
  /// For an error: short, and of characters that do nothing to a terminal.
  package var quotable: String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(40).map { PromptText.isControl($0) ? "?" : $0 }))
  }
}
