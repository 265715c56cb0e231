// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// Where in a schema there are schemas, and where there are other values.
package enum SchemaPlaces {
  /// Keywords whose value holds schemas by name.
  package static let maps = bytes(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"])
  /// Keywords whose value is compared with, and no schema.
  package static let values = bytes(["const", "enum", "default", "example", "examples"])

  /// The formats of strings that a grammar does not hold to, each once, in their order. O(bytes).
  package static func unenforcedFormats(in schema: JSONValue) -> [String] {
    var found: [String] = []
    var known: Set<[UInt8]> = []
    visit(schema) { object in
      guard let format = object["format"]?.string, StringFormats.expression(format) == nil else { return }
      let types = object["type"].map { ($0.array ?? [$0]).map(\.string) }
      guard types?.contains(Array("string".utf8)) ?? true, known.insert(format).inserted else { return }
      found.append(String(decoding: format, as: UTF8.self))
    }
    return found
  }

  private static func visit(_ value: JSONValue, isMap: Bool = false, _ body: (JSONObject) -> Void) {
    switch value {
    case .array(let elements): for element in elements { visit(element, body) }
    case .object(let object):
      if !isMap { body(object) }
      for (key, value) in object.members where isMap || !values.contains(key) {
        visit(value, isMap: !isMap && maps.contains(key), body)
      }
    default: break
    }
  }

  private static func bytes(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}
