// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

import PetCompanion

/// The catalog names the built-in pets; files that the compiler cannot hold to it are compared here.
@Suite("The names of the built-in pets")
struct PersonaNamesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private let names = PersonaCatalog.builtInNames

  private func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: Self.root.appending(path: path)), as: UTF8.self)
  }

  private func quoted(_ list: Substring) -> [String] { list.matches(of: /"(\w+)"/).map { String($0.1) } }

  @Test("each is embedded")
  func embedded() throws {
    let resources = /\+ \[([^\]]+)\]\.map \{ \.embedInCode\("Persona\//
    let list = try #require(try text("Package.swift").firstMatch(of: resources))
    #expect(quoted(list.1).sorted() == names)
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "prompts/personas").path)
    #expect(files.map { PersonaCatalog.name(of: $0) }.sorted() == names && names.contains(PersonaCatalog.usualName))
  }

  @Test("the reply bank was written with their numbers")
  func numbered() throws {
    let list = try #require(try text("Training/bank/layout.py").firstMatch(of: /\nPETS = \[([^\]]+)\]/))
    #expect(quoted(list.1) == PersonaCatalog.numberedNames)
  }

  @Test("the description of the API and the dashboard know them all, and no other")
  func served() throws {
    let description = try text("Sources/PetService/Operations/openapi.json")
    let patterns = description.matches(of: /\^\(([a-z|]+)\)\(-/).map { $0.1.split(separator: "|").map(String.init) }
    #expect(patterns.count == 3 && patterns.allSatisfy { $0 == names })
    let dashboard = try text("Sources/PetService/Dashboard/dashboard.js")
    #expect(dashboard.matches(of: /\n  ([a-z]+): \{\n/).map { String($0.1) }.filter(names.contains).sorted() == names)
    #expect(dashboard.contains("const usual = \"\(PersonaCatalog.usualName)\";"))
  }
}
