// SPDX-License-Identifier: Apache-2.0
/// The members of a JSON object, in their order; each key occurs once.
package struct JSONObject: Sendable {
  package private(set) var members: [(key: [UInt8], value: JSONValue)] = []
  private var indices: [[UInt8]: Int] = [:]

  package init() {}

  package subscript(key: [UInt8]) -> JSONValue? { indices[key].map { members[$0].value } }

  package subscript(key: StaticString) -> JSONValue? { self[key.withUTF8Buffer { Array($0) }] }

  /// Whether the key was not there yet.
  package mutating func insert(_ key: [UInt8], _ value: JSONValue) -> Bool {
    guard indices[key] == nil else { return false }
    indices[key] = members.count
    members.append((key, value))
    return true
  }

  /// Gives a key another value in its place; a new key comes last.
  package mutating func set(_ key: [UInt8], _ value: JSONValue) {
    if let index = indices[key] { members[index].value = value } else { _ = insert(key, value) }
  }

  /// O(members)
  package mutating func remove(_ key: [UInt8]) {
    guard let index = indices.removeValue(forKey: key) else { return }
    members.remove(at: index)
    for later in index..<members.count { indices[members[later].key] = later }
  }
}

extension JSONObject: Equatable {
  /// As the schema specification has it: the order of members does not matter.
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.count == right.members.count && left.members.allSatisfy { right[$0.key] == $0.value }
  }
}

extension JSONObject {
  package mutating func set(_ key: String, text: String) { set(Array(key.utf8), .string(Array(text.utf8))) }

  package mutating func set(_ key: String, unlessEmpty text: String) { if !text.isEmpty { set(key, text: text) } }

  package mutating func set(_ key: String, unlessEmpty texts: [String]) {
    if !texts.isEmpty { set(key, texts: texts) }
  }

  package mutating func set(_ key: String, texts: [String]) {
    set(Array(key.utf8), .array(texts.map { .string(Array($0.utf8)) }))
  }
}
