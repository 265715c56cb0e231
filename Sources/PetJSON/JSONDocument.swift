// SPDX-License-Identifier: Apache-2.0
import PetText

/// A JSON text that was read, with the text: so that errors say where.
package struct JSONDocument {
  package let bytes: [UInt8]
  package let value: JSONValue

  /// - Throws: ``JSONError``.
  package init(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) {
    self.bytes = bytes
    value = try JSONValue(parsing: bytes, limits: limits)
  }

  package var root: Node { Node(document: self, value: value, path: []) }

  /// A value, and the way to it. What is read from it throws `JSONError.invalid` where it is not of the form asked for.
  package struct Node {
    package let document: JSONDocument
    package let value: JSONValue
    package let path: [JSONStep]

    package func error(_ problem: String) -> JSONError {
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

  package func object() throws(JSONError) -> JSONObject {
    guard let object = value.object else { throw error("must be an object") }
    return object
  }

  /// The value of a key; nil where there is none, or null.
  package func member(_ key: String) throws(JSONError) -> JSONDocument.Node? {
    guard let value = try object()[Array(key.utf8)] else { return nil }
    if case .null = value { return nil }
    return child(value, .key(key))
  }

  package func required(_ key: String) throws(JSONError) -> JSONDocument.Node {
    guard let node = try member(key) else { throw error("\(path.isEmpty ? "the file" : "it") needs \"\(key)\"") }
    return node
  }

  package func members() throws(JSONError) -> [JSONDocument.Node] {
    try object().members.map { child($0.value, .key(String(decoding: $0.key, as: UTF8.self))) }
  }

  /// - Parameter most: how many there may be.
  package func elements(most: Int) throws(JSONError) -> [JSONDocument.Node] {
    guard let array = value.array else { throw error("must be an array") }
    guard array.count <= most else { throw error("must have at most \(most) members") }
    return array.enumerated().map { child($0.element, .index($0.offset)) }
  }

  /// - Parameter limit: bytes of UTF-8.
  package func text(limit: Int) throws(JSONError) -> String {
    guard let text = value.string else { throw error("must be a string") }
    guard text.count <= limit else { throw error("must have at most \(limit) bytes") }
    return String(decoding: text, as: UTF8.self)
  }

  package func bool() throws(JSONError) -> Bool {
    guard let bool = value.bool else { throw error("must be true or false") }
    return bool
  }

  package func number() throws(JSONError) -> Double {
    guard let number = value.double else { throw error("must be a number") }
    return number
  }
}
