// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Any JSON, to look into.
struct JSONNode: Decodable {
  private(set) var text: String?
  private(set) var number: Int?
  private(set) var decimal: Double?
  private(set) var items: [JSONNode] = []
  private var fields: [String: JSONNode] = [:]

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    text = try? value.decode(String.self)
    number = try? value.decode(Int.self)
    decimal = try? value.decode(Double.self)
    items = (try? value.decode([JSONNode].self)) ?? []
    fields = (try? value.decode([String: JSONNode].self)) ?? [:]
  }

  subscript(name: String) -> JSONNode? { fields[name] }
}

extension JSONNode {
  static func object(_ text: String) throws -> [String: JSONNode] {
    try JSONDecoder().decode([String: JSONNode].self, from: Data(text.utf8))
  }
}
