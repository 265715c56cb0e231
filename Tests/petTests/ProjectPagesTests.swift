// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What the pages for contributors say: their commands work, the files that they name are there.
@Suite("Pages of the project")
struct ProjectPagesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ page: String) throws -> String {
    try String(contentsOf: root.appending(path: page), encoding: .utf8)
  }

  /// The lines of the `sh` blocks of the pages.
  static let commands = ["CONTRIBUTING.md", "Tests/Checks/README.md"].flatMap { page in
    ((try? text(page)) ?? "").components(separatedBy: "```sh\n").dropFirst().flatMap {
      $0.components(separatedBy: "```")[0].split(separator: "\n").map(String.init)
    }
  }

  @Test(
    "each command works: checks are run; of scripts, which build, the script and its step are there",
    arguments: commands)
  func works(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    guard words[0] == "python3" else {
      #expect(FileManager.default.isExecutableFile(atPath: Self.root.appending(path: words[0]).path), "\(command)")
      if words[0] == "scripts/nightly" {
        let steps = try #require(try Self.text(words[0]).firstMatch(of: /\nsteps="([^"]+)"/)?.1).split(separator: " ")
        for step in words.dropFirst() { #expect(steps.contains { $0 == step }, "\(command)") }
      }
      return
    }
    let home = try TemporaryHome()
    let result = try PetBinary.run(
      executable: "/bin/sh", ["-c", "cd '\(Self.root.path)' && \(command)"],
      environment: ["PATH": "/usr/bin:/bin", "HOME": home.path, "PYTHONDONTWRITEBYTECODE": "1"])
    #expect(result.status == 0, "\(command): \(result.error)")
  }

  @Test("there are commands, and every link between the pages leads to a file")
  func links() throws {
    #expect(Self.commands.count >= 7)
    for page in [
      "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "prompts/README.md", "Tests/Checks/README.md",
    ] {
      let folder = Self.root.appending(path: page).deletingLastPathComponent()
      for link in try Self.text(page).matches(of: /\]\(([^)#:]+)\)/) {
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: link.1).path), "\(page): \(link.1)")
      }
    }
  }

  @Test("every link between guides leads to one, and the first page's topics to each")
  func guides() throws {
    let folder = "Sources/PetEngine/PetEngine.docc"
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: folder).path)
    let guides = Set(files.filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) })
    for guide in guides {
      for link in try Self.text("\(folder)/\(guide).md").matches(of: /<doc:(\w+)>/) {
        #expect(guides.contains(String(link.1)), "\(guide): \(link.1)")
      }
    }
    let topics = try Self.text("\(folder)/PetEngine.md").matches(of: /\n- <doc:(\w+)>/).map { String($0.1) }
    #expect(Set(topics) == guides.subtracting(["PetEngine"]), "\(topics)")
  }

  @Test("the page on words names every file of words, and who reads it")
  func words() throws {
    let rows = try Self.text("prompts/README.md").matches(of: /\n\| `([^`]+)` \| [^|]+ \| `([^`]+)` \|/)
    let named = Set(rows.map { String($0.1) })
    let there = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "prompts").path)
      .filter { $0.hasSuffix(".json") }
    #expect(named == Set(there + ["personas/*.json"]))
    for row in rows {
      let resource = row.1.split(separator: "/").last.map { $0.replacing(".json", with: "_json") } ?? ""
      let reader = try Self.text(String(row.2))
      let isReader = reader.contains(resource == "*_json" ? "mochi_json" : resource)
      #expect(isReader, "\(row.2) does not read \(row.1)")
    }
  }

  @Test("the changelog has the version of the program")
  func changelog() throws {
    let home = try TemporaryHome()
    let version = try PetBinary.run(["--version"], home: home.path).output.split(separator: " ").dropFirst().first ?? ""
    let newest = try Self.text("CHANGELOG.md").firstMatch(of: /\n## ([0-9.]+)/)?.1
    #expect(newest.map(String.init) == version.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
