// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetJSON
import SeededGenerator
import Testing

import PetCompanion

@Suite("Character cards")
struct CharacterCardTests {
  private static func value(_ json: [UInt8]) throws -> JSONValue {
    try JSONValue(parsing: json, limits: JSONLimits(nesting: 64))
  }

  private static func card(_ data: String) -> String {
    "{\"spec\": \"chara_card_v2\", \"spec_version\": \"2.0\", \"data\": {\(data)}}"
  }

  @Test("a V2 card becomes a persona")
  func persona() throws {
    let card = try CharacterCard(
      json: Array(
        Self.card(
          #"""
          "name": "Io\n the  Moth", "description": "{{char}} flies.", "personality": "bold; loud", "first_mes": "Hi {{user}}! {happy; wave}",
          "alternate_greetings": ["Oh.", "No mark {here}"], "system_prompt": "Be Io.", "character_version": "3",
          "mes_example": "<START>\n{{user}}: hi\nthere\n{{char}}: Yes! {sad}\n<start>\n<USER>: a\nio\n the  moth: no\n{{char}}: b\n{{char}}: c",
          "character_book": {"entries": [
            {"keys": [], "content": "second", "enabled": true, "constant": true, "insertion_order": 2},
            {"keys": [], "content": "first", "enabled": true, "constant": true, "insertion_order": -1.5},
            {"keys": [], "content": "off", "enabled": false, "constant": true, "insertion_order": 0},
            {"keys": ["x"], "content": "keyed", "enabled": true, "insertion_order": 0}], "extensions": {}}
          """#
        ).utf8))
    let persona = Persona(card)
    #expect(persona.pet == PromptFormat.Pet(name: "Io the Moth", kind: "companion", temperament: "bold and loud"))
    #expect(persona.greetings.map(\.emotion) == [.happy, nil, nil])
    #expect(persona.greetings[2].text == "No mark {here}")
    #expect(persona.examples.map(\.user) == ["hi\nthere", "a\nio\n the  moth: no"])
    #expect(persona.examples.map(\.pet.text) == ["Yes!", "b\nc"])
    #expect(persona.facts == ["first", "second"])
    #expect(persona.directions == "Be Io." && persona.version == "3")
  }

  @Test("what is not known of a card survives, value for value, and numbers digit for digit")
  func unknown() throws {
    let json =
      Self.card(
        #"""
        "name": "Io", "description": "", "personality": "", "scenario": "", "first_mes": "a\u0041\/", "mes_example": "",
        "creator_notes": "", "system_prompt": "", "post_history_instructions": "never", "alternate_greetings": [], "tags": ["é"],
        "creator": "", "character_version": "", "extensions": {"a/b": [1.50, 1e400, 12345678901234567890123, -0, null, {"": []}]},
        "character_book": {"entries": [{"keys": ["k"], "content": "c", "id": 7, "odd": 1.0}], "scan_depth": 3}, "new": {"x": 0.10E+2}
        """#
      ).dropLast() + ", \"name\": \"Io\", \"chat\": [0.0]}"
    let card = try CharacterCard(json: Array(json.utf8))
    // Compact JSON of both: equal only where every number is written alike.
    #expect(try card.json == Self.value(Array(json.utf8)).compact)
    // And when the persona in it is changed, all the rest.
    var persona = Persona(card)
    #expect(CharacterCard(persona, over: card).json == card.json)
    persona.name = "Eo"
    let text = String(decoding: CharacterCard(persona, over: card).json, as: UTF8.self)
    #expect(text.contains("[1.50,1e400,12345678901234567890123,-0,null,{\"\":[]}]") && text.contains("0.10E+2"))
    #expect(text == String(decoding: card.json, as: UTF8.self).replacing("\"name\":\"Io\"", with: "\"name\":\"Eo\""))
  }

  @Test("a V1 card is read, and written as V2 with what else it had")
  func version1() throws {
    let json =
      #"{"name":"Io","description":"d","personality":"p","scenario":"s","first_mes":"f","mes_example":"m","fav":1.0}"#
    let card = try CharacterCard(json: Array(json.utf8))
    #expect(card.name == "Io" && card.exampleMessages == "m")
    let again = try Self.value(card.json)
    #expect(again.object?["fav"]?.compact == Array("1.0".utf8) && again.object?["first_mes"] == nil)
    #expect(again.object?["data"]?.object?["first_mes"]?.string == Array("f".utf8))
    #expect(try CharacterCard(json: card.json).json == card.json)
  }

  @Test("every card that is written has what V2 asks for")
  func mandatory() throws {
    for json in [CharacterCard(name: "Io").json, try CharacterCard(json: Array(#"{"name":"Io"}"#.utf8)).json] {
      let root = try #require(try Self.value(json).object)
      #expect(root["spec"]?.string == Array("chara_card_v2".utf8) && root["spec_version"]?.string == Array("2.0".utf8))
      let data = try #require(root["data"]?.object)
      for (key, _) in CharacterCard.texts { #expect(data[Array(key.utf8)]?.string != nil, "\(key)") }
      for (key, _) in CharacterCard.lists { #expect(data[Array(key.utf8)]?.array != nil, "\(key)") }
      #expect(data["extensions"]?.object != nil)
    }
  }

  @Test("a persona goes into a card and comes back the same, and again over that card")
  func roundTrip() throws {
    for seed: UInt64 in 0..<100 {
      var random = SeededGenerator(seed: seed)
      let persona = Persona.random(using: &random)
      let card = try CharacterCard(json: CharacterCard(persona).json)
      #expect(Persona(card) == persona, "seed \(seed)")
      let other = Persona.random(using: &random)
      let changed = try CharacterCard(json: CharacterCard(other, over: card).json)
      #expect(Persona(changed) == other, "seed \(seed)")
      #expect(CharacterCard(other, over: changed).json == changed.json, "seed \(seed)")
    }
  }

  @Test("the persona of any card can be kept and comes back, and its card is written as it was")
  func anyCard() throws {
    let pieces = [
      "{sad}", "{sad;jump}", "{here}", "{", "}}", "\u{301}", String(repeating: "\u{301}", count: 70), "\n", "<START>\n",
      "{{user}}: ", "{{char}}:", " ", "<|end|>", "\u{1}", "é🐈‍⬛", ".", "Io", String(repeating: "long ", count: 2000),
    ]
    for seed: UInt64 in 0..<60 {
      var random = SeededGenerator(seed: seed)
      func text() -> String { (0..<6).compactMap { _ in pieces.randomElement(using: &random) }.joined() }
      var card = CharacterCard(name: "")
      for (_, path) in CharacterCard.texts { card[keyPath: path] = text() }
      card.alternateGreetings = [text(), text()]
      card.name = "I" + text()
      let read = try CharacterCard(json: card.json)
      let persona = Persona(read)
      let coded = try JSONEncoder().encode([persona])
      #expect(try JSONDecoder().decode([Persona].self, from: coded) == [persona], "seed \(seed)")
      #expect(CharacterCard(persona, over: read).json == read.json, "seed \(seed)")
    }
  }

  @Test("the pets that are built in become cards and come back", arguments: PersonaCatalog.builtInNames)
  func builtIn(name: String) throws {
    let persona = try #require(PersonaCatalog.builtIn(name))
    #expect(Persona(try CharacterCard(json: CharacterCard(persona).json)) == persona)
  }

  @Test("random JSON among the extensions and beside the data survives")
  func extensions() throws {
    for seed: UInt64 in 0..<200 {
      var random = SeededGenerator(seed: seed)
      let (inner, outer) = (Self.json(3, using: &random), Self.json(3, using: &random))
      let json =
        Self.card("\"name\": \"Io\", \"extensions\": {\"x\": \(inner)}, \"y\": \(outer)").dropLast()
        + ",\"z\":\(outer)}"
      var persona = Persona(try CharacterCard(json: Array(json.utf8)))
      persona.foods = ["soup"]
      persona.facts = ["Moths fly."]
      let written = CharacterCard(persona, over: try CharacterCard(json: Array(json.utf8))).json
      let root = try #require(try Self.value(written).object)
      let data = try #require(root["data"]?.object)
      #expect(data["extensions"]?.object?["x"]?.compact == Array(inner.utf8), "seed \(seed)")
      #expect(data["y"]?.compact == Array(outer.utf8) && root["z"]?.compact == Array(outer.utf8), "seed \(seed)")
      #expect(Persona(try CharacterCard(json: written)) == persona, "seed \(seed)")
    }
  }

  private static func json(_ depth: Int, using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
    case 0: return ["1.50", "-0", "1E+9", "0.0", "98765432109876543210", "7"].randomElement(using: &random) ?? "0"
    case 1: return ["true", "false", "null"].randomElement(using: &random) ?? "null"
    case 2, 3: return ["\"\"", "\"é🐈‍⬛\"", "\"\\n\\\"<|end|>\"", "\"{{char}}\""].randomElement(using: &random) ?? "\"\""
    case 4: return "[" + (0..<2).map { _ in json(depth - 1, using: &random) }.joined(separator: ",") + "]"
    default: return "{\"a\":" + json(depth - 1, using: &random) + ",\"b\":" + json(depth - 1, using: &random) + "}"
    }
  }

  @Test(
    "an error says where and what",
    arguments: [
      (
        #"{"spec": "chara_card_v9", "spec_version": "9.0"}"#,
        "1:10: \"spec\" must be \"chara_card_v2\" or \"chara_card_v3\""
      ),
      (#"{"spec": "chara_card_v2", "spec_version": 2.0, "data": {}}"#, "1:43: \"spec_version\" must be a string"),
      (#"{"spec": "chara_card_v2", "spec_version": "2.0"}"#, "1:1: the file needs \"data\""),
      (card("\"name\": \"Io\", \"tags\": [1]"), "1:82: \"data.tags[0]\" must be a string"),
      (card("\"name\": \" \\u0001 \""), "1:67: \"data.name\" must not be empty"),
      (card("\"name\": \"Io\", \"extensions\": []"), "1:87: \"data.extensions\" must be an object"),
      (
        card("\"name\": \"Io\", \"extensions\": {\"pet_engine\": {\"actions\": [\"fly\"]}}"),
        "1:115: \"data.extensions.pet_engine.actions[0]\" is no action"
      ),
      (
        card("\"name\": \"Io\", \"character_book\": {\"entries\": [{\"constant\": true}]}"),
        "1:104: \"data.character_book.entries[0]\" it needs \"content\""
      ),
      ("{\"first_mes\": \"hi\"}", "1:1: the file needs \"name\""),
    ])
  func errors(text: String, message: String) {
    do {
      _ = try CharacterCard(json: Array(text.utf8))
      Issue.record("\(text) was read")
    } catch {
      #expect("\(error)" == message)
    }
  }
}
