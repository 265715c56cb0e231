// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// A schema and all its subschemas by their JSON pointers.
struct SchemaDocument {
  struct Node {
    var value: JSONValue
    var pointer: String
  }

  let root: JSONValue
  private(set) var nodes: [Node] = []
  private var indices: [[UInt8]: Int] = [:]
  private let budget: CompilationBudget

  init(_ root: JSONValue, _ budget: CompilationBudget) {
    self.root = root
    self.budget = budget
  }

  /// The number of a subschema.
  /// - Throws: `tooLarge` also where the pointers together are long: a key may be as long as the schema, and have many children.
  mutating func node(_ value: JSONValue, at pointer: String) throws(GrammarError) -> Int {
    let key = Array(pointer.utf8)
    if let known = indices[key] { return known }
    switch value {
    case .bool, .object: break
    default: throw .invalidKeyword(keyword: "schema", pointer: pointer, problem: "neither an object nor a Boolean")
    }
    try budget.spend(1 + key.count / 16)
    indices[key] = nodes.count
    nodes.append(Node(value: value, pointer: pointer))
    return nodes.count - 1
  }

  /// The subschema that `$ref` names. References are `#` or `#/...`, a JSON pointer (RFC 6901) with percent-encoding.
  mutating func resolve(_ reference: [UInt8], from pointer: String) throws(GrammarError) -> Int {
    let text = String(decoding: reference, as: UTF8.self)
    guard reference.first == UInt8(ascii: "#") else {
      throw .unsupported(keyword: "$ref", pointer: pointer, reason: "only references within the document are followed")
    }
    guard let decoded = Self.percentDecoded(reference.dropFirst()) else {
      throw .unresolvedReference(reference: text, pointer: pointer)
    }
    guard decoded.isEmpty || decoded[0] == UInt8(ascii: "/") else {
      throw .unsupported(keyword: "$ref", pointer: pointer, reason: "anchors are not followed")
    }
    var value = root
    var path = ""
    for token in decoded.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      guard let key = Self.unescaped(token), let next = Self.child(of: value, key) else {
        throw .unresolvedReference(reference: text, pointer: pointer)
      }
      value = next
      path += "/" + String(decoding: token, as: UTF8.self)
    }
    return try node(value, at: path)
  }

  private static func child(of value: JSONValue, _ key: [UInt8]) -> JSONValue? {
    switch value {
    case .object(let object): return object[key]
    case .array(let elements):
      guard key == [0x30] || key.first != 0x30, let index = Int(String(decoding: key, as: UTF8.self)),
        elements.indices.contains(index)
      else { return nil }
      return elements[index]
    default: return nil
    }
  }

  /// `~1` is a slash and `~0` a tilde.
  private static func unescaped(_ token: ArraySlice<UInt8>) -> [UInt8]? {
    var key: [UInt8] = []
    var rest = token
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        key.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): key.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): key.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return key
  }

  /// The keys of a JSON pointer; nil for one that is none.
  static func keys(of pointer: String) -> [[UInt8]]? {
    var keys: [[UInt8]] = []
    for token in Array(pointer.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      guard let key = unescaped(token) else { return nil }
      keys.append(key)
    }
    return keys
  }

  private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Hexadecimal.value), let low = rest.popFirst().flatMap(Hexadecimal.value)
      else { return nil }
      decoded.append(high << 4 | low)
    }
    return decoded
  }

  /// A key as part of a JSON pointer.
  static func escaped(_ key: [UInt8]) -> String {
    var token: [UInt8] = []
    for byte in key {
      switch byte {
      case UInt8(ascii: "~"): token += Array("~0".utf8)
      case UInt8(ascii: "/"): token += Array("~1".utf8)
      default: token.append(byte)
      }
    }
    return String(decoding: token, as: UTF8.self)
  }
}
