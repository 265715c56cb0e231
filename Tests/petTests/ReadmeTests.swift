import Foundation
import Testing

/// Every command that README.md shows in a `sh` block works: those that neither build nor fetch are run as they stand,
/// of the others the script is there, or the command knows each flag.
@Suite("README.md")
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// What must not run here, because it needs the network or a model, by its first words.
  private static let slow = [
    "pet models pull", "pet chat", "pet complete", "pet tokenize", "pet perplexity", "pet bench", "pet models convert",
  ]

  static let commands: [String] = {
    guard let text = try? String(contentsOf: root.appending(path: "README.md"), encoding: .utf8) else { return [] }
    var commands: [String] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```sh"
      } else if isInside, !line.trimmingCharacters(in: .whitespaces).isEmpty, !line.hasPrefix("#") {
        commands.append(String(line))
      }
    }
    return commands
  }()

  @Test("there are commands to copy")
  func some() {
    #expect(Self.commands.contains("scripts/chat"))
    #expect(Self.commands.contains("scripts/test"))
    #expect(Self.commands.count >= 5)
  }

  @Test("each works", arguments: commands)
  func works(command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    if command.hasPrefix("scripts/") {
      let path = Self.root.appending(path: words[0]).path
      #expect(FileManager.default.isExecutableFile(atPath: path), "\(path)")
    } else if Self.slow.contains(where: { command.hasPrefix($0) }) {
      try expectKnown(words)
    } else if words[0] == "pet" {
      try expectRuns(command)
    } else {
      Issue.record("README shows a command that no test knows how to run: \(command)")
    }
  }

  private func expectRuns(_ command: String) throws {
    let home = try TemporaryHome()
    let folder = URL(filePath: PetBinary.path).deletingLastPathComponent().path
    let result = try PetBinary.run(
      executable: "/bin/sh", ["-c", command],
      environment: ["PATH": "\(folder):/usr/bin:/bin", "PET_HOME": home.path])
    #expect(result.status == 0, "\(command): \(result.error)")
    #expect(!result.output.isEmpty)
  }

  /// The subcommand is there, and its help names every flag that is used.
  private func expectKnown(_ words: [String]) throws {
    let home = try TemporaryHome()
    let path = words.dropFirst().prefix { $0.allSatisfy { $0.isLetter } && $0 != "TEXT" }
    let subcommand = Array(path.prefix(path.first == "models" ? 2 : 1))
    let help = try PetBinary.run(subcommand + ["--help"], home: home.path)
    #expect(help.status == 0)
    #expect(help.output.contains("USAGE: pet \(subcommand.joined(separator: " "))"), "\(help.output)")
    for flag in words where flag.hasPrefix("-") {
      let name = flag.split(separator: "=").first.map(String.init) ?? flag
      #expect(help.output.contains(name), "\(name) in the help of \(words.joined(separator: " "))")
    }
  }
}
