// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import PetJSON

/// The schema of a tool's arguments, as a part of that of calls.
struct ArgumentSchema: Sendable {
  private static let reference = Array("$ref".utf8)
  /// No schema that a grammar is made of nests deeper.
  private static let limits = JSONLimits(nesting: GrammarLimits().nesting)

  private let schema: JSONObject

  /// Arguments are an object, whatever else the schema leaves open.
  /// - Throws: `ToolError.invalidSchema`, `.invalidType`.
  init(_ json: String, of tool: String) throws(ToolError) {
    guard let value = try? JSONValue(parsing: Array(json.utf8), limits: Self.limits), var schema = value.object else {
      throw .invalidSchema(tool: tool)
    }
    if let type = schema["type"] {
      let names = (type.array ?? [type]).map(\.string)
      guard names.contains(Array("object".utf8)) else { throw .invalidType(tool: tool) }
    }
    // It names a document of its own, which this is no longer.
    schema.remove(Array("$id".utf8))
    schema.set(Array("type".utf8), .string(Array("object".utf8)))
    self.schema = schema
  }

  /// JSON in which references lead where they did.
  /// - Parameter pointer: where it stands, as a JSON pointer (RFC 6901).
  func json(at pointer: String) -> String {
    String(decoding: Self.moved(.object(schema), to: Array(pointer.utf8)).compact, as: UTF8.self)
  }

  /// Any schema in its place in another one; the same text where it refers to nothing.
  static func moved(_ json: String, to pointer: String) -> String {
    guard json.contains("$ref"), let value = try? JSONValue(parsing: Array(json.utf8), limits: limits)
    else { return json }
    return moved(value, to: Array(pointer.utf8)).compactText
  }

  private static func moved(_ value: JSONValue, to pointer: [UInt8], isMap: Bool = false) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map { moved($0, to: pointer) })
    case .object(let object):
      var result = JSONObject()
      for (key, value) in object.members {
        if isMap {
          result.set(key, moved(value, to: pointer))
        } else if key == reference, let text = value.string, let place = place(text) {
          result.set(key, .string([UInt8(ascii: "#")] + pointer + place))
        } else {
          result.set(
            key,
            SchemaPlaces.values.contains(key)
              ? value : moved(value, to: pointer, isMap: SchemaPlaces.maps.contains(key)))
        }
      }
      return .object(result)
    default: return value
    }
  }

  /// The JSON pointer of a reference within the document; nil for another one.
  private static func place(_ reference: [UInt8]) -> ArraySlice<UInt8>? {
    guard reference.first == UInt8(ascii: "#") else { return nil }
    let pointer = reference.dropFirst()
    return pointer.isEmpty || pointer.first == UInt8(ascii: "/") ? pointer : nil
  }
}
