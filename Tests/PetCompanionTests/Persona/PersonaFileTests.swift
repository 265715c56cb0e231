// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SeededGenerator
import Testing

import PetCompanion

@Suite("Persona files")
struct PersonaFileTests {
  private static let names = ["bramble", "juniper", "mochi", "pixel", "tofu", "zest"]

  @Test("the pets that are built in are those of prompts/format.json")
  func builtIn() {
    #expect(PersonaCatalog.builtInNames == PromptFormat.standard.pets.keys.sorted())
    for (name, pet) in PromptFormat.standard.pets { #expect(PersonaCatalog.builtIn(name)?.pet == pet) }
  }

  @Test("each pet has greetings and dialogue in the form of its model, short and of its own", arguments: names)
  func voice(name: String) throws {
    let persona = try #require(PersonaCatalog.builtIn(name))
    #expect(persona.greetings.count >= 3 && persona.examples.count >= 6)
    #expect(!persona.foods.isEmpty && !persona.games.isEmpty && !persona.habits.isEmpty)
    let replies = persona.greetings + persona.examples.map(\.pet)
    for reply in replies {
      #expect(reply.isWellFormed && Set(reply.actions).isSubset(of: persona.actions), "\(reply.written)")
      #expect((3...24).contains(reply.text.split(separator: " ").count), "\(reply.written)")
      let others = PersonaCatalog.builtInNames.compactMap(PersonaCatalog.builtIn).filter { $0.name != persona.name }
      #expect(!others.contains { ($0.greetings + $0.examples.map(\.pet)).contains { $0.text == reply.text } })
    }
    // Says what it is when it is asked, and at a first meeting.
    #expect(persona.greetings.contains { $0.text.contains("AI") })
    #expect(persona.examples.contains { $0.pet.text.contains("AI") })
    #expect(persona.instructions(PetState()).cut.isEmpty)
  }

  @Test(
    "an error says where and what",
    arguments: [
      (
        "{\n  \"name\": \"Io\",\n  \"kind\": \"moth\",\n  \"temperament\": 7}",
        "p.json:4:18: \"temperament\" must be a string"
      ),
      ("{\"name\": \"Io\"}", "p.json:1:1: the file needs \"kind\""),
      ("[]", "p.json:1:1: must be an object"),
      ("{\"name\": \"Io\",\n \"name\": \"Oi\"}", "p.json:2:2: a key is given twice"),
      ("{\"nome\": 1}", "p.json:1:10: \"nome\" is no part of a persona"),
      ("{\"name\": \"I\\no\"}", "p.json:1:10: \"name\" must be one line of text without marks of control"),
      ("{\"name\": \"\"}", "p.json:1:10: \"name\" must be one line of text without marks of control"),
      ("{\"name\": \"Io\"", "p.json:1:14: expected , or } in an object"),
      ("", "p.json:1:1: expected a JSON value"),
      (
        with("\"first_messages\": [\"Hi {happy}\",\n\"Hi {bored}\"]"),
        "p.json:2:1: \"first_messages[1]\" names no emotion: bored"
      ),
      (
        with("\"examples\": [{\"user\": \"é\", \"pet\": \"Hi {sad; fly}\"}]"),
        "p.json:1:89: \"examples[0].pet\" names no action: fly"
      ),
      (with("\"examples\": [{\"user\": \"hi\"}]"), "p.json:1:68: \"examples[0]\" it needs \"pet\""),
      (with("\"first_messages\": [\"{happy}\"]"), "p.json:1:74: \"first_messages[0]\" must have text before its mark"),
      (
        with("\"first_messages\": [\"A {happy; jump, spin, eat}\"]"),
        "p.json:1:74: \"first_messages[0]\" must name at most two actions"
      ),
      (with("\"actions\": [\"jump\", \"fly\"]"), "p.json:1:75: \"actions[1]\" is no action"),
      (
        with("\"actions\": [\"jump\"], \"first_messages\": [\"A {happy; spin}\"]"),
        "p.json:1:95: \"first_messages[0]\" has an action that \"actions\" does not allow: spin"
      ),
      (with("\"drift\": {\"mood\": 4.01}"), "p.json:1:73: \"drift.mood\" must be from 0.25 to 4"),
      (with("\"drift\": {\"mood\": 1e999}"), "p.json:1:73: \"drift.mood\" must be a number"),
      (with("\"drift\": {\"love\": 1}"), "p.json:1:73: \"drift.love\" is nothing that drifts"),
      (with("\"foods\": \"soup\""), "p.json:1:64: \"foods\" must be an array"),
      (
        with("\"version\": \"\(String(repeating: "1", count: 65))\""),
        "p.json:1:66: \"version\" must have at most 64 bytes"
      ),
    ])
  func errors(text: String, message: String) {
    do {
      _ = try PersonaFile.read(Array(text.utf8))
      Issue.record("\(text) was read")
    } catch {
      #expect("\(PersonaFileError(file: "p.json", problem: error))" == message)
    }
  }

  private static func with(_ member: String) -> String {
    "{\"name\": \"Io\", \"kind\": \"moth\", \"temperament\": \"bold\", \(member)}"
  }

  @Test("bytes that are no UTF-8, deep nesting and large files are refused")
  func hostile() {
    #expect(throws: PersonaError.syntax(line: 1, column: 3, problem: "the text is not UTF-8")) {
      try PersonaFile.read([0x7B, 0x22, 0xFF, 0x22, 0x7D])
    }
    #expect(throws: PersonaError.tooLarge("levels of nesting", limit: 32)) {
      try PersonaFile.read([UInt8](repeating: 0x5B, count: 100_000))
    }
    #expect(throws: PersonaError.tooLarge("bytes of text", limit: 1 << 20)) {
      try PersonaFile.read([UInt8](repeating: 0x20, count: 1 << 20 + 1))
    }
    let many = String(repeating: "\"a\",", count: PersonaLimits.members) + "\"a\""
    #expect(throws: PersonaError.self) { try PersonaFile.read(Array(Self.with("\"foods\": [\(many)]").utf8)) }
  }

  @Test("a file that ends too early, or has a wrong byte, gives an error or a persona and never a crash")
  func damaged() throws {
    var random = SeededGenerator(seed: 5)
    let file = PersonaFile.write(try #require(PersonaCatalog.builtIn("zest")))
    for length in stride(from: 0, to: file.count - 2, by: 5) {
      #expect(throws: PersonaError.self) { try PersonaFile.read(Array(file[..<length])) }
    }
    for _ in 0..<400 {
      var damaged = file
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        damaged[Int.random(in: 0..<file.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if let persona = try? PersonaFile.read(damaged) {
        #expect(try PersonaFile.read(PersonaFile.write(persona)) == persona)
      }
    }
  }

  @Test("what is written is read again, as a file and by Codable")
  func roundTrip() throws {
    for seed: UInt64 in 0..<100 {
      var random = SeededGenerator(seed: seed)
      let persona = Persona.random(using: &random)
      #expect(try PersonaFile.read(PersonaFile.write(persona)) == persona, "seed \(seed)")
      let coded = try JSONEncoder().encode([persona])
      #expect(try JSONDecoder().decode([Persona].self, from: coded) == [persona], "seed \(seed)")
    }
  }

  @Test("factors of drift stay in their range")
  func drift() {
    var drift = PetDrift(hunger: -1, energy: .infinity, mood: .nan, affection: 2)
    #expect(drift == PetDrift(hunger: 0.25, energy: 4, mood: 1, affection: 2))
    drift.mood = -.infinity
    #expect(drift.mood == 0.25)
  }
}
