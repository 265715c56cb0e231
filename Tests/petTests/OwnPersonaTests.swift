// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// `pet chat --persona` with characters of a person's own, as the shipped program reads them.
@Suite("Own characters in pet chat")
struct OwnPersonaTests {
  private static let cards = ["vex.json", "luna.png", "orrin.json"]

  private static func chat(
    _ persona: String, home: TemporaryHome, input: String = "I lost my job today.\n", _ more: [String] = []
  ) throws -> PetBinary.Result {
    try PetBinary.run(
      ["chat", "--profile", "watch", "--incognito", "--json", "--seed", "1", "--persona", persona] + more,
      home: home.path, input: input)
  }

  private static func turns(_ result: PetBinary.Result) throws -> [[String: Any]] {
    #expect(result.status == 0, "\(result.error)")
    return try result.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static func home(_ files: [String: Data]) throws -> TemporaryHome {
    let home = try TemporaryHome()
    try FileManager.default.createDirectory(atPath: home.path + "/personas", withIntermediateDirectories: true)
    for (name, data) in files { try data.write(to: URL(filePath: home.path + "/personas/" + name)) }
    return home
  }

  private static func card(_ name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: Fixtures.path("cards/" + name)))
  }

  @Test("every form of persona in PET_HOME/personas is asked for by its name")
  func forms() throws {
    let home = try Self.home([
      "own.json": Data(#"{"name": "Io", "kind": "moth", "temperament": "bold"}"#.utf8),
      "First.JSON": Data(#"{"name": "Eo", "description": "A kite.", "first_mes": "hi"}"#.utf8),
      "vex.json": try Self.card("vex.json"), "luna.png": try Self.card("luna.png"),
      "orrin.json": try Self.card("orrin.json"), "böse katze.json": try Self.card("vex.json"),
    ])
    for name in ["own", "first", "vex", "Luna", "orrin", "böse katze"] {
      let turns = try Self.turns(Self.chat(name, home: home, input: "I'm so happy, I passed my exam!\n"))
      #expect((turns.first?["text"] as? String)?.isEmpty == false, "\(name)")
    }
  }

  @Test("a text is a persona by its name too, and what is no text is none")
  func texts() throws {
    let home = try Self.home([
      "pirate.txt": Data("You are a pirate.".utf8), "empty.txt": Data(" \n".utf8), "noise.txt": Data([0x80, 0, 0xFF]),
    ])
    #expect(try Self.turns(Self.chat("pirate", home: home)).count == 1)
    for name in ["empty", "noise", home.path + "/personas/noise.txt"] {
      let result = try Self.chat(name, home: home)
      #expect(result.status == 3 && result.error.contains(".txt: no text that says who"), "\(result.error)")
    }
  }

  @Test("a file that cannot be used is told of as what it is")
  func errors() throws {
    let home = try Self.home([
      "broken.json": Data("{\n \"name\": 1}".utf8), "böse.json": Data("{".utf8),
      "photo.png": Data([0xFF, 0xD8, 0xFF, 0xE0]),
    ])
    let folder = home.path + "/personas"
    try FileManager.default.createDirectory(atPath: folder + "/sub.json", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder + "/gone.json", withDestinationPath: home.path + "/none")
    #expect(FileManager.default.createFile(atPath: folder + "/big.png", contents: nil))
    #expect(truncate(folder + "/big.png", (32 << 20) + 1) == 0)
    var expected = [
      ("broken", "broken.json:2:10: \"name\" must be a string"), ("böse", "böse.json:1:2: "),
      ("sub", "sub.json: no regular file"), ("gone", "gone.json: cannot open: No such file or directory"),
      ("photo", "photo.png: at byte 0: not a PNG file"), ("big", "big.png: more than 33554432 bytes"),
    ]
    if geteuid() != 0 {
      try Self.card("vex.json").write(to: URL(filePath: folder + "/shut.json"))
      #expect(chmod(folder + "/shut.json", 0) == 0)
      expected.append(("shut", "shut.json: cannot open: Permission denied"))
    }
    for (name, error) in expected {
      let result = try Self.chat(name, home: home)
      #expect(result.status == 3 && result.error.contains(error), "\(name): \(result.status) \(result.error)")
      #expect(result.error.split(separator: "\n").count == 1)
    }
  }

  @Test("to somebody who lost their job no card answers with joy", arguments: cards)
  func grief(card: String) throws {
    let home = try TemporaryHome()
    let lines = ["I lost my job today.", "my grandmother died last night", "I feel so alone since she left me."]
    let turns = try Self.turns(
      Self.chat(Fixtures.path("cards/" + card), home: home, input: lines.joined(separator: "\n") + "\n"))
    #expect(turns.count == lines.count)
    for (line, turn) in zip(lines, turns) {
      let (text, emotion) = (turn["text"] as? String ?? "", turn["emotion"] as? String ?? "")
      #expect(!["happy", "excited", "playful", "proud"].contains(emotion), "\(line): \(text) {\(emotion)}")
      #expect(!text.lowercased().contains("glad") && !text.lowercased().contains("wonderful"), "\(line): \(text)")
    }
  }

  @Test("what of a card the model does not read is told in its context")
  func leftOut() throws {
    let home = try TemporaryHome()
    func omitted(_ card: String) throws -> [String] {
      // A model of ours answers this itself.
      let turns = try Self.turns(
        Self.chat(
          Fixtures.path("cards/" + card), home: home, input: "Your kettle has a lid of brass.\n", ["--model-only"]))
      let context = try #require(turns.first?["context"] as? [String: Any])
      return try #require((context["omitted"] as? [String: Any])?["persona"] as? [String])
    }
    #expect(
      try omitted("vex.json") == [
        "description", "personality", "scenario", "facts", "directions", "examples", "lore",
      ])
    #expect(try omitted("luna.png") == ["description", "personality"])
    #expect(try omitted("orrin.json") == ["description", "scenario", "lore"])
  }
}
