// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Every command that README.md and the guides for people show in a `sh` block works: it is run as it stands where that
/// neither builds nor fetches (on the built-in model where the default is not there); of the others the script is there,
/// or the command knows each flag.
@Suite("README.md")
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The fetched base of the default model, where scripts/test names it; it lies in a store that has both.
  private static let model = ProcessInfo.processInfo.environment["PET_TEST_MODEL"]

  /// What needs the network, or a folder or file that a reader has and the tests do not.
  private static let fetching = [
    "pet models pull", "pet models convert", "pet models quantize", "pet models pack", "pet models install",
    "pet models repair",
  ]

  static let commands = shown(in: "README.md")
  /// What the README leaves to them.
  static let guideCommands = ["Chatting", "Commands", "Models", "Testing"].flatMap { shown(in: guide($0)) }
  static let privacyCommands = shown(in: guide("Privacy"))
  static let serviceCommands = shown(in: guide("Petd"))
  static let classifierCommands = shown(in: guide("Classifiers"))

  private static func guide(_ name: String) -> String { "Sources/PetEngine/PetEngine.docc/\(name).md" }

  private static func shown(in page: String) -> [String] {
    guard let text = try? String(contentsOf: root.appending(path: page), encoding: .utf8) else { return [] }
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
  }

  @Test("there are commands to copy")
  func some() {
    #expect(Self.commands.contains("scripts/chat"))
    #expect(Self.commands.contains("scripts/test"))
    #expect(Self.commands.count >= 5 && Self.serviceCommands.count >= 10 && Self.classifierCommands.count >= 7)
    #expect(Self.guideCommands.count >= 35 && Self.guideCommands.contains { $0.hasPrefix("pet memory") })
  }

  @Test("each works", arguments: commands + guideCommands + privacyCommands + serviceCommands + classifierCommands)
  func works(command: String) async throws {
    let call = command.range(of: "pet ").map { String(command[$0.lowerBound...]) } ?? command
    let words = call.split(separator: " ").map(String.init)
    if Self.isForService(command) {
      try await expectAnswers(command)
    } else if command.hasPrefix("scripts/") {
      let path = Self.root.appending(path: command.split(separator: " ").map(String.init)[0]).path
      #expect(FileManager.default.isExecutableFile(atPath: path), "\(path)")
    } else if Self.fetching.contains(where: { call.hasPrefix($0) }) {
      try expectKnown(words)
    } else if call.hasPrefix("pet memory") {
      try expectMoves(command)
    } else if words[0] == "pet" {
      try expectRuns(command)
    } else {
      Issue.record("a page shows a command that no test knows how to run: \(command)")
    }
  }

  private static func isForService(_ command: String) -> Bool {
    serviceCommands.contains(command) || ["petd", "curl", "pet top"].contains { command.hasPrefix($0) }
  }

  /// With a petd in the place of the reader's.
  private func expectAnswers(_ command: String) async throws {
    if command.hasPrefix("petd") {
      let help = try PetBinary.run(executable: PetBinary.path + "d", ["--help"], environment: ["PATH": "/usr/bin:/bin"])
      for flag in command.split(separator: " ") where flag.hasPrefix("-") { #expect(help.output.contains(flag)) }
      return
    }
    let daemon = try await RunningDaemon(["--port", "0", "--lease", "3600"])
    let port = try #require(daemon.log.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.1)
    let own = command.replacing("~/.local/share/pet", with: daemon.home.path).replacing(":8080", with: ":\(port)")
    let folder = URL(filePath: PetBinary.path).deletingLastPathComponent().path
    let result = try PetBinary.run(
      executable: "/bin/sh",
      ["-c", "cd '\(Self.root.path)' && " + own.replacing("curl ", with: "curl -sS --fail-with-body --max-time 60 ")],
      environment: ["PATH": "\(folder):/usr/bin:/bin", "PET_HOME": daemon.home.path])
    #expect(result.status == 0 && result.output.count > 2, "\(own): \(result.output) \(result.error) \(daemon.log)")
  }

  @Test("the conversation it shows is one, word for word")
  func recording() throws {
    let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let call = try #require(text.firstMatch(of: /\(`pet (chat .*--clock .*)`\):\n\n```\n((?s:.*?))```/))
    let lines = call.2.split(separator: "\n")
    let said = lines.filter { $0.hasPrefix("> ") }.map { $0.dropFirst(2) + "\n" }.joined()
    let home = try TemporaryHome()
    let result = try PetBinary.run(call.1.split(separator: " ").map(String.init), home: home.path, input: said)
    #expect(result.status == 0 && lines.count >= 8, "\(result.error)")
    #expect(result.output == lines.filter { !$0.hasPrefix("> ") }.map { $0 + "\n" }.joined())
  }

  @Test("the settings that its guide shows are settings")
  func settings() throws {
    let text = try String(contentsOf: Self.root.appending(path: Self.guide("Settings")), encoding: .utf8)
    let toml = try #require(
      text.components(separatedBy: "```toml\n").dropFirst().first?.components(separatedBy: "```")[0])
    let home = try TemporaryHome()
    try toml.write(toFile: home.path + "/config.toml", atomically: true, encoding: .utf8)
    let result = try PetBinary.run(["doctor"], home: home.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.components(separatedBy: "config.toml:").count > 2, "\(result.output)")
  }

  @Test("the examples of --help name flags that exist", arguments: helpExamples)
  func help(command: String) throws {
    try expectKnown(command.split(separator: " ").map(String.init))
  }

  /// Lines such as "  pet models pull      the default model" below EXAMPLES.
  static let helpExamples: [String] = {
    let commands = [
      [], ["chat"], ["complete"], ["tokenize"], ["perplexity"], ["bench"], ["doctor"], ["models"],
      ["top"], ["privacy"], ["licences"], ["models", "convert"], ["models", "quantize"], ["models", "pack"],
      ["models", "install"],
      ["models", "fit"],
      ["models", "tiers"],
      ["models", "sign"], ["memory"], ["uninstall"],
      ["classify"], ["classify", "pose"], ["classify", "affect"], ["classify", "expression"], ["classify", "stress"],
    ]
    let examples = commands.flatMap { command -> [String] in
      guard let home = try? TemporaryHome(), let help = try? PetBinary.run(command + ["--help"], home: home.path).output
      else { return [] }
      return help.split(separator: "\n").filter { $0.hasPrefix("  pet ") }.map { line in
        let text = line.trimmingCharacters(in: .whitespaces)
        return text.range(of: "   ").map { String(text[..<$0.lowerBound]) } ?? text
      }
    }
    return examples.count > 15 ? examples : ["pet help-texts-have-lost-their-examples"]
  }()

  private func expectRuns(_ command: String) throws {
    let home = try TemporaryHome()
    if command.contains("pet classify") {
      try home.addStressWeights()
    } else if let model = Self.model {
      // The store that the model is in, which commands only read.
      let store = URL(filePath: model).deletingLastPathComponent().deletingLastPathComponent().path
      try FileManager.default.createSymbolicLink(atPath: home.path + "/models", withDestinationPath: store)
    }
    let folder = URL(filePath: PetBinary.path).deletingLastPathComponent().path
    let result = try PetBinary.run(
      executable: "/bin/sh", ["-c", "cd '\(Self.root.path)' && \(command)"],
      environment: ["PATH": "\(folder):/usr/bin:/bin", "PET_HOME": home.path])
    #expect(result.status == 0, "\(command): \(result.error)")
    #expect(!result.output.isEmpty)
  }

  /// In a folder with what `pet memory export` wrote of a pet, where the command reads that.
  private func expectMoves(_ command: String) throws {
    let home = try TemporaryHome()
    let file = home.path + "/mochi.json"
    let told = try PetBinary.run(
      ["chat", "--profile", "watch", "--no-service"], home: home.path, input: "My name is Ada.\n")
    #expect(told.status == 0, "\(told.error)")
    if command.hasPrefix("pet memory import") {
      let export = try PetBinary.run(["memory", "export", "--output", file], home: home.path)
      #expect(export.status == 0, "\(export.error)")
    }
    let folder = URL(filePath: PetBinary.path).deletingLastPathComponent().path
    let result = try PetBinary.run(
      executable: "/bin/sh", ["-c", "cd '\(home.path)' && \(command)"],
      environment: ["PATH": "\(folder):/usr/bin:/bin", "PET_HOME": home.path])
    #expect(result.status == 0 && (result.output + result.error).contains(": 1"), "\(command): \(result.error)")
    #expect(FileManager.default.fileExists(atPath: file), "\(command)")
  }

  /// The subcommand is there, and its help names every flag that is used.
  private func expectKnown(_ words: [String]) throws {
    let home = try TemporaryHome()
    let path = words.dropFirst().prefix { $0.allSatisfy { $0.isLetter } && $0 != "TEXT" }
    let subcommand = Array(path.prefix(["models", "classify", "memory"].contains(path.first) ? 2 : 1))
    let help = try PetBinary.run(subcommand + ["--help"], home: home.path)
    #expect(help.status == 0)
    #expect(help.output.contains("USAGE: pet \(subcommand.joined(separator: " "))"), "\(help.output)")
    for flag in words where flag.hasPrefix("-") {
      let name = flag.split(separator: "=").first.map(String.init) ?? flag
      #expect(help.output.contains(name), "\(name) in the help of \(words.joined(separator: " "))")
    }
  }
}
