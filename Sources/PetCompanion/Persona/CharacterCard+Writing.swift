// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension CharacterCard {
  /// The card as JSON of V2, in one line: all that was read, with what was changed since and the fields that V2 asks for.
  /// - Complexity: O(n) in the size of the card.
  public var json: [UInt8] { JSONValue.object(object).compact }

  private var object: JSONObject {
    var root = source.members.isEmpty ? Self.frame : source
    var data = root["data"]?.object ?? JSONObject()
    for (index, (key, path)) in Self.texts.enumerated() {
      let (key, text) = (Array(key.utf8), Array(self[keyPath: path].utf8))
      let before = data[key]?.string
      guard before != text else { continue }
      data.set(key, .string(text))
      // Some programs write the texts of V1 beside `data` for readers of V1; a copy goes with what it copies.
      if index < Self.textsOfV1, let copy = root[key]?.string, copy == before { root.set(key, .string(text)) }
    }
    for (key, path) in Self.lists {
      let texts = self[keyPath: path].map { JSONValue.string(Array($0.utf8)) }
      if data[Array(key.utf8)]?.array != texts { data.set(Array(key.utf8), .array(texts)) }
    }
    if let before = data["nickname"]?.string, before != Array(nickname.utf8) { data.set("nickname", text: nickname) }
    if data["extensions"]?.object == nil { data.set(Array("extensions".utf8), .object(JSONObject())) }
    root.set(Array("data".utf8), .object(data))
    return root
  }

  /// Puts what this project adds to cards among the extensions, after what is there.
  package mutating func setTraits(of persona: Persona) {
    traits.kind = persona.kind
    traits.temperament = persona.temperament
    (traits.foods, traits.games, traits.habits) = (persona.foods, persona.games, persona.habits)
    (traits.actions, traits.drift) = (persona.actions, persona.drift)
    edit("extensions") { extensions in
      let key = Array(Self.extensionKey.utf8)
      // Traits that are as usual now go; what is no trait stays.
      var own = JSONObject()
      for (key, value) in extensions[key]?.object?.members ?? [] where !PersonaFile.isTrait(key) { own.set(key, value) }
      for (key, value) in PersonaFile.traits(of: persona).members { own.set(key, value) }
      extensions.set(key, .object(own))
    }
  }

  /// Puts other constant entries in the place of those in the book.
  package mutating func setConstantEntries(_ texts: [String]) {
    constantEntries = texts
    edit("character_book") { book in
      let entries = book["entries"]?.array ?? []
      func isReplaced(_ entry: JSONValue) -> Bool { entry.object?["constant"] == .bool(true) }
      let own = texts.enumerated().map { order, text in
        var entry = JSONObject()
        entry.set("keys", texts: [])
        entry.set("content", text: text)
        entry.set(Array("extensions".utf8), .object(JSONObject()))
        entry.set(Array("enabled".utf8), .bool(true))
        entry.set(Array("insertion_order".utf8), .number(Array("\(order)".utf8)))
        entry.set(Array("constant".utf8), .bool(true))
        return JSONValue.object(entry)
      }
      if book["extensions"] == nil { book.set(Array("extensions".utf8), .object(JSONObject())) }
      book.set(Array("entries".utf8), .array(own + entries.filter { !isReplaced($0) }))
    }
  }

  private mutating func edit(_ key: String, _ change: (inout JSONObject) -> Void) {
    if source.members.isEmpty { source = Self.frame }
    var data = source["data"]?.object ?? JSONObject()
    var object = data[Array(key.utf8)]?.object ?? JSONObject()
    change(&object)
    data.set(Array(key.utf8), .object(object))
    source.set(Array("data".utf8), .object(data))
  }
}
