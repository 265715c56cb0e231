// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

import PetCompanion

@Suite("The catalog of personas")
struct PersonaCatalogTests {
  @Test("without a folder there are those that are built in")
  func builtIn() throws {
    let catalog = PersonaCatalog(folder: "/nowhere/at/all")
    #expect(catalog.names == ["bramble", "juniper", "mochi", "pixel", "tofu", "zest"] && catalog.errors.isEmpty)
    #expect(try catalog.entry("ZEST").isBuiltIn)
    #expect(throws: PersonaError.unknown(name: "io", known: catalog.names)) { try catalog.entry("io") }
  }

  @Test("personas, cards and pictures of a folder are there, and a broken file costs only itself")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "personas-\(UInt64.random(in: 0...UInt64.max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
      try Data(bytes).write(to: folder.appending(path: name))
    }
    try write("zest.json", #"{"name": "Zest", "kind": "lemon", "temperament": "sour"}"#.utf8)
    try write("Io.json", CharacterCard(name: "Io").json)
    try write("old.v1.json", #"{"name": "Eo", "first_mes": "hi"}"#.utf8)
    try write("broken.json", "{\n \"name\": 1}".utf8)
    try write("empty.json", [])
    try write("fake.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0])
    try write(".hidden.json", "{".utf8)
    try write("notes.txt", "{".utf8)
    try FileManager.default.createDirectory(at: folder.appending(path: "sub.json"), withIntermediateDirectories: true)

    let catalog = PersonaCatalog(folder: folder.path)
    #expect(catalog.names == ["bramble", "io", "juniper", "mochi", "old.v1", "pixel", "tofu", "zest"])
    #expect(try catalog.entry("zest").persona.kind == "lemon")
    #expect(try !catalog.entry("zest").isBuiltIn)
    #expect(try catalog.entry("io").card?.name == "Io")
    #expect(try catalog.entry("OLD.v1").persona.name == "Eo")
    let path = folder.path
    #expect(
      catalog.errors.map(\.description) == [
        "\(path)/broken.json:2:10: \"name\" must be a string",
        "\(path)/empty.json:1:1: expected a JSON value",
        "\(path)/fake.png: at byte 8: the file ends within a chunk",
        "\(path)/sub.json: no regular file",
      ])
  }
}
