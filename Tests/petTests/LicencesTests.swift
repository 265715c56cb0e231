// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// `pet licences` prints LICENSE and THIRD-PARTY-NOTICES, and these name everything of others that the program is made of.
@Suite("Licences")
struct LicencesTests {
  private struct Report: Decodable {
    struct Work: Decodable {
      let name, version, licence, from, use: String
      let purpose: String
      let files: [String]
      let notice: String?

      enum CodingKeys: String, CodingKey {
        case name, version, licence, from, use, files, notice
        case purpose = "for"
      }
    }

    let licence, text, notices: String
    let works: [Work]
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func report() throws -> Report {
    let home = try TemporaryHome()
    let result = try PetBinary.run(["licences", "--json"], home: home.path)
    try #require(result.status == 0 && result.error.isEmpty, "\(result)")
    return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  @Test("pet licences prints both files of the repository as they are")
  func text() throws {
    let home = try TemporaryHome()
    let result = try PetBinary.run(["licences"], home: home.path)
    #expect(result.status == 0 && result.error.isEmpty)
    #expect(result.output == (try Self.text("THIRD-PARTY-NOTICES")) + "\n" + (try Self.text("LICENSE")))
    #expect(result.output.contains("Apache License\n                           Version 2.0, January 2004"))
  }

  @Test("as JSON every work has a name, version, licence, source, purpose and one of seven uses")
  func fields() throws {
    let report = try Self.report()
    #expect(report.licence == "Apache-2.0")
    #expect(report.text == (try Self.text("LICENSE")))
    #expect(report.notices == (try Self.text("THIRD-PARTY-NOTICES")))
    let blocks = report.notices.split(separator: "\n").count { $0.hasPrefix("Name: ") }
    #expect(report.works.count == blocks && blocks > 40)
    for work in report.works {
      let fields = [work.name, work.version, work.licence, work.from, work.purpose]
      #expect(fields.allSatisfy { !$0.isEmpty }, "\(work)")
      let uses = ["linked", "system", "built in", "separate", "fetched", "training", "tests"]
      #expect(uses.contains(work.use), "\(work)")
    }
  }

  @Test("every package that Package.swift depends on is named, at the version from which it is asked for")
  func packages() throws {
    let works = try Self.report().works
    let manifest = try Self.text("Package.swift")
    let packages = manifest.matches(of: /\.package\(url: "([^"]+)", from: "([^"]+)"/)
    #expect(packages.count == 8)
    for package in packages {
      let isNamed = works.contains { $0.from == package.1 && $0.version == package.2 && $0.use == "linked" }
      #expect(isNamed, "\(package.1) \(package.2)")
    }
  }

  @Test("every file of Models that the program contains belongs to one work, and so does the separate one")
  func builtIn() throws {
    let works = try Self.report().works
    let named = works.filter { $0.use == "built in" }.flatMap(\.files).sorted()
    #expect(works.filter { $0.use != "built in" }.flatMap(\.files) == ["parent-stress.gguf"])
    let assembly = try Self.text("Sources/CBuiltInModels/models.S") + Self.text("Sources/CBuiltInBank/bank.S")
    let linked = assembly.matches(of: /([a-z0-9.-]+\.(?:gguf|bin))"?\n/).map { String($0.1) }.sorted()
    #expect(named == linked && named.count == 17)
  }

  @Test("the licence of every model that the catalog knows is the one that the notices say")
  func catalog() throws {
    let works = try Self.report().works
    let json = try JSONSerialization.jsonObject(with: Data(Self.text("Models/catalog.json").utf8)) as? [String: Any]
    let models = try #require(json?["models"] as? [[String: Any]])
    for model in models {
      let files = try #require(model["files"] as? [String: [String: Any]])
      for file in files.values {
        let source = file["source"] as? [String: Any]
        guard ["built_in", "separate"].contains(source?["type"] as? String) else { continue }
        let name = try #require(file["name"] as? String)
        let work = try #require(works.first { $0.files.contains(name) }, "\(name)")
        #expect(model["licence"] as? String == work.licence, "\(name)")
      }
    }
    let stress = try #require(works.first { $0.name == "parent-stress" })
    #expect(stress.use == "separate" && stress.licence == "Apache-2.0 OR GPL-2.0-or-later")
  }

  @Test("every Debian library that scripts/setup installs is named as one of the system")
  func libraries() throws {
    let setup = try Self.text("scripts/setup")
    let packages = try #require(setup.firstMatch(of: /\npackages="([^"]*)"/)?.1).split(separator: " ")
    let libraries = packages.filter { $0.hasPrefix("lib") }
    #expect(libraries.count == 8)
    let notices = try Self.text("THIRD-PARTY-NOTICES")
    for library in libraries { #expect(notices.contains("Use: system\nDebian: \(library)\n"), "\(library)") }
  }

  @Test("what is not known of the command is refused in one line")
  func usage() throws {
    let home = try TemporaryHome()
    let result = try PetBinary.run(["licences", "--texts"], home: home.path)
    #expect(result.status == 2 && result.output.isEmpty && result.error.contains("--texts"), "\(result)")
  }
}
