// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// What this project's personas have and character cards do not: cards carry it among their extensions.
extension PersonaFile {
  package static func isTrait(_ key: [UInt8]) -> Bool {
    ["kind", "temperament", "foods", "games", "habits", "actions", "drift"].contains(
      String(decoding: key, as: UTF8.self))
  }

  package static func traits(of persona: Persona) -> JSONObject {
    var object = JSONObject()
    object.set("kind", text: persona.kind)
    object.set("temperament", text: persona.temperament)
    object.set("foods", unlessEmpty: persona.foods)
    object.set("games", unlessEmpty: persona.games)
    object.set("habits", unlessEmpty: persona.habits)
    if persona.actions != PetAction.allCases {
      object.set(Array("actions".utf8), .array(persona.actions.map { .string(Array($0.rawValue.utf8)) }))
    }
    var drift = JSONObject()
    for (key, path) in PetDrift.keys where persona.drift[keyPath: path] != 1 {
      drift.set(Array(key.utf8), .number(Array("\(persona.drift[keyPath: path])".utf8)))
    }
    if !drift.members.isEmpty { object.set(Array("drift".utf8), .object(drift)) }
    return object
  }
}

extension PetDrift {
  package static let keys: [(key: String, path: WritableKeyPath<PetDrift, Double> & Sendable)] = [
    ("hunger", \.hunger), ("energy", \.energy), ("mood", \.mood), ("affection", \.affection),
  ]
}

extension JSONDocument.Node {
  /// Reads what the object has of `kind`, `temperament`, `foods`, `games`, `habits`, `actions` and `drift`.
  package func readTraits(into persona: inout Persona) throws(JSONError) {
    persona.kind = try member("kind")?.name() ?? persona.kind
    persona.temperament = try member("temperament")?.name() ?? persona.temperament
    persona.foods = try list("foods") { node throws(JSONError) in try node.name() }
    persona.games = try list("games") { node throws(JSONError) in try node.name() }
    persona.habits = try list("habits") { node throws(JSONError) in try node.line() }
    if let actions = try member("actions") {
      var allowed: Set<PetAction> = []
      for element in try actions.elements() {
        guard let action = PetAction(rawValue: try element.line()) else { throw element.error("is no action") }
        guard allowed.insert(action).inserted else { throw element.error("is named twice") }
      }
      persona.actions = PetAction.allCases.filter(allowed.contains)
    }
    guard let drift = try member("drift") else { return }
    for factor in try drift.members() {
      guard case .key(let key)? = factor.path.last, let known = PetDrift.keys.first(where: { $0.key == key }) else {
        throw factor.error("is nothing that drifts")
      }
      let value = try factor.number()
      guard PetDrift.range.contains(value) else { throw factor.error("must be from 0.25 to 4") }
      persona.drift[keyPath: known.path] = value
    }
  }
}
