// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// A schema without what no grammar can hold a text to, for those who prefer a text that may break it to none.
package struct EnforceableSchema: Sendable {
  package private(set) var value: JSONValue
  /// The keywords that were left out, each with the way to it, as in `properties.tags.uniqueItems`.
  package private(set) var leftOut: [String] = []

  /// Each of these costs a pass over the schema; unknown keywords cost none.
  private static let mostRefusals = 8

  /// - Parameter budget: of all schemas of a request together.
  /// - Throws: `GrammarError` for what is no schema, takes more than the budget, or has too many keywords whose values are refused.
  package init(_ schema: JSONValue, within budget: CompilationBudget) throws(GrammarError) {
    value = .null
    value = withoutUnknown(schema, at: [])
    for refusals in 0... {
      do {
        _ = try SchemaCompiler.compile(
          value, options: JSONSchemaOptions(), limits: GrammarLimits(), budget: budget)
        return
      } catch {
        guard refusals < Self.mostRefusals, case .unsupported(let keyword, let pointer, _) = error,
          let path = SchemaDocument.keys(of: pointer), let mended = value.without(Array(keyword.utf8), at: path[...])
        else { throw error }
        value = mended
        note(path + [Array(keyword.utf8)])
      }
    }
  }

  private mutating func withoutUnknown(_ value: JSONValue, at path: [[UInt8]], isMap: Bool = false) -> JSONValue {
    switch value {
    case .array(let elements):
      return .array(
        elements.enumerated().map { index, element in withoutUnknown(element, at: path + [Array("\(index)".utf8)]) })
    case .object(let object):
      var kept = JSONObject()
      for (key, value) in object.members {
        let isKeyword = !isMap
        guard !isKeyword || SchemaKeywords.isKnown(key, value, isRoot: path.isEmpty) else {
          note(path + [key])
          continue
        }
        let isValue = isKeyword && SchemaPlaces.values.contains(key)
        kept.set(
          key,
          isValue
            ? value : withoutUnknown(value, at: path + [key], isMap: isKeyword && SchemaPlaces.maps.contains(key)))
      }
      return .object(kept)
    default: return value
    }
  }

  private mutating func note(_ path: [[UInt8]]) {
    leftOut.append(path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "."))
  }
}

extension JSONValue {
  /// Without a keyword of the schema that the keys lead to; alternatives that must exclude each other need no longer do so.
  /// Nil where it has none.
  fileprivate func without(_ keyword: [UInt8], at path: ArraySlice<[UInt8]>) -> JSONValue? {
    switch self {
    case .object(var object):
      guard let key = path.first else {
        guard let value = object[keyword] else { return nil }
        object.remove(keyword)
        if keyword == Array("oneOf".utf8), object["anyOf"] == nil { object.set(Array("anyOf".utf8), value) }
        return .object(object)
      }
      guard let child = object[key]?.without(keyword, at: path.dropFirst()) else { return nil }
      object.set(key, child)
      return .object(object)
    case .array(var elements):
      guard let key = path.first, let index = Int(String(decoding: key, as: UTF8.self)),
        elements.indices.contains(index),
        let child = elements[index].without(keyword, at: path.dropFirst())
      else { return nil }
      elements[index] = child
      return .array(elements)
    default: return nil
    }
  }
}
