// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What `pet chat` keeps between two runs, and how.
@Suite("A pet that is kept")
struct KeptPetTests {
  private let home: TemporaryHome
  private let arguments = ["chat", "--json", "--profile", "watch", "--temperature", "0"]

  init() throws { home = try TemporaryHome() }

  private func run(
    _ more: [String] = [], _ input: String, environment: [String: String] = [:]
  ) throws -> (status: Int32, error: String, turns: [[String: Any]]) {
    let own = ["PATH": "/usr/bin:/bin", "PET_HOME": home.path].merging(environment) { $1 }
    // Without a terminal, also where the tests have one.
    let result = try PetBinary.run(
      executable: "/usr/bin/setsid", ["--wait", PetBinary.path] + arguments + more, environment: own, input: input)
    let turns = result.output.split(separator: "\n").compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
    }
    return (result.status, result.error, turns)
  }

  private func promptTokens(_ turn: [String: Any]?) -> Int { (turn?["usage"] as? [String: Int])?["prompt_tokens"] ?? 0 }

  @Test(
    "a conversation goes on under its name, a new name begins anew, and words of danger, and eight lines behind them, are not written down"
  )
  func session() throws {
    let line = "your kettle has a lid of brass\n"
    let first = try run(["--session", "tea"], line)
    #expect(first.status == 0 && first.turns.count == 1)
    let again = try run(["--session", "tea"], "it is a very old kettle\n")
    #expect(promptTokens(again.turns.first) > promptTokens(first.turns.first) + 12)
    let other = try run(["--session", "walks"], "it is a very old kettle\n")
    #expect(promptTokens(other.turns.first) < promptTokens(again.turns.first) - 12)

    #expect(try run(["--session", "tea"], "i want to kill myself\nmy hands are cold\n").turns.count == 2)
    let folder = home.path + "/pets/mochi/conversations/"
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["tea.json", "walks.json"])
    let text = try KeptConversation.text(folder + "tea.json")
    #expect(try Data(contentsOf: URL(filePath: folder + "tea.json")).range(of: Data("kettle".utf8)) == nil)
    #expect(text.contains("old kettle") && !text.contains("kill") && !text.contains("cold"))
    // Nor the eight lines behind them; then the conversation is kept again.
    let calm = (1...10).map { "I saw \($0) birds in the garden.\n" }.joined()
    let near = try run(["--session", "tea"], "i want to kill myself\n" + calm)
    let told = near.turns.map {
      ($0["notices"] as? [[String: Any]] ?? []).contains { $0["kind"] as? String == "unkept" }
    }
    #expect(told == [true] + Array(repeating: false, count: 10), "\(near)")
    let later = try KeptConversation.text(folder + "tea.json")
    #expect(!later.contains("to kill") && !later.contains("are cold"), "\(later)")
    for count in 1...10 { #expect(later.contains("I saw \(count) birds") == (count > 8), "\(later)") }
    #expect(later.contains(#""unkept_turns":11"#), "\(later)")
    // What nobody may read back is counted, where nothing else is kept, too.
    let shown = try PetBinary.run(
      ["chat", "--profile", "watch", "--session", "alone"], home: home.path, input: "i want to kill myself\n")
    #expect(shown.status == 0 && shown.error.contains("are written nowhere"), "\(shown)")
    let alone = try KeptConversation.text(folder + "alone.json")
    #expect(alone.contains(#""unkept_turns":1"#) && alone.contains(#""empty":true"#), "\(alone)")
    let mode = try FileManager.default.attributesOfItem(atPath: folder + "tea.json")[.posixPermissions] as? Int
    #expect(mode == 0o600)

    try "{ no".write(toFile: folder + "tea.json", atomically: true, encoding: .utf8)
    let broken = try run(["--session", "tea"], line)
    #expect(broken.status == 3 && broken.error.contains("tea.json") && broken.error.contains("damaged"))
    for name in ["../tea", "", "a b", String(repeating: "x", count: 65)] {
      #expect(try run(["--session", name], line).status == 2, "\(name)")
    }
    #expect(try run(["--session", "tea", "--incognito"], line).status == 2)
  }

  @Test(
    "a memory that was cut takes the key of the conversations along; a key that holds none is damaged: both are told")
  func cutMemory() throws {
    let line = "your kettle has a lid of brass\n"
    #expect(try run(["--session", "tea"], line).status == 0)
    let folder = home.path + "/pets/mochi"
    let conversation = folder + "/conversations/tea.json"
    let sealed = try Data(contentsOf: URL(filePath: conversation))
    let key = folder + "/memory.sqlite.key"
    let former = try Data(contentsOf: URL(filePath: key))
    try Data().write(to: URL(filePath: key))
    let keyless = try run([], "hi\n")
    #expect(keyless.status == 3 && keyless.error.contains("the key of the memories is damaged"), "\(keyless)")
    try former.write(to: URL(filePath: key))

    #expect(truncate(folder + "/memory.sqlite", 700) == 0)
    let aside = folder + "/memory.sqlite.damaged-1"
    let first = try run(["--session", "tea"], "hi\n")
    #expect(first.status == 3 && first.error.contains("the memory was damaged and is kept at \(aside)"), "\(first)")
    #expect(first.turns.compactMap { $0["notice"] as? String } == ["kept_aside"])
    let again = try run(["--session", "tea"], "hi\n")
    for result in [first, again] {
      #expect(
        result.error.contains("its key went with the damaged memory") && result.error.contains(aside), "\(result)")
    }
    #expect(try Data(contentsOf: URL(filePath: conversation)) == sealed)
    // One that is sealed since and then broken has only itself to blame.
    #expect(try run(["--session", "walks"], line).status == 0)
    let walks = folder + "/conversations/walks.json"
    try (Data(contentsOf: URL(filePath: walks)).dropLast() + [7, 7]).write(to: URL(filePath: walks))
    let broken = try run(["--session", "walks"], "hi\n")
    #expect(broken.status == 3 && broken.error.contains("the conversation is damaged"), "\(broken)")
  }

  @Test(
    "what is remembered is sealed with a key file or a passphrase, and opens with nothing else",
    arguments: [true, false])
  func sealed(_ isFile: Bool) throws {
    let key = home.path + "/pet.key"
    let right = isFile ? ["--key-file", key] : ["--passphrase"]
    let secret = isFile ? [:] : ["PET_PASSPHRASE": "a wet xylophone"]
    #expect(try run(right, "my name is Ottoline\n", environment: secret).status == 0)
    let folder = home.path + "/pets/mochi"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      #expect(bytes.range(of: Data("Ottoline".utf8)) == nil, "\(name)")
    }
    let plain = try run([], "hi\n")
    #expect(plain.status == 3 && plain.error.contains("sealed"))
    let wrong = try run(["--passphrase"], "hi\n", environment: ["PET_PASSPHRASE": "a dry xylophone"])
    #expect(wrong.status == 3 && wrong.error.contains("another key"))
    #expect(try run(right, "what is my name\n", environment: secret).status == 0)
    // So is a conversation under a name.
    #expect(try run(right + ["--session", "tea"], "the kettle is of brass\n", environment: secret).status == 0)
    let conversation = try Data(contentsOf: URL(filePath: folder + "/conversations/tea.json"))
    #expect(conversation.starts(with: Data("PETSEAL1".utf8)) && conversation.range(of: Data("kettle".utf8)) == nil)
    // Nor is a passphrase taken that could be guessed.
    let short = try run(["--persona", "tofu", "--passphrase"], "hi\n", environment: ["PET_PASSPHRASE": "1234567"])
    #expect(short.status == 2 && short.error.contains("8 characters"))
    // A key for what is sealed with none is refused in the same words, whether its file is there or not.
    #expect(try run(["--persona", "tofu"], "hi\n").status == 0)
    try Data(repeating: 7, count: 64).write(to: URL(filePath: home.path + "/other.key"))
    #expect(chmod(home.path + "/other.key", 0o600) == 0)
    for name in ["/other.key", "/missing.key"] {
      let needless = try run(["--persona", "tofu", "--key-file", home.path + name], "hi\n")
      #expect(needless.status == 3 && needless.error.contains("not sealed with a key"), "\(needless)")
    }
    if isFile {
      let missing = try run(["--key-file", home.path + "/missing.key"], "hi\n")
      #expect(missing.status == 3 && missing.error.contains("a new key opens nothing"), "\(missing)")
    }
    #expect(!FileManager.default.fileExists(atPath: home.path + "/missing.key"))
    // Nobody can be asked.
    let unasked = try run(["--passphrase"], "hi\n")
    #expect(unasked.status == 2 && unasked.error.contains("passphrase"))
    #expect(try run(["--passphrase", "--key-file", key], "hi\n").status == 2)
  }

  @Test(
    "lines typed to a pet that is sealed are kept in no file; Up brings them back for as long as the program runs",
    .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"),
    arguments: [true, false])
  func typedLines(_ isFile: Bool) async throws {
    let terminal = try PseudoTerminal()
    let seal = isFile ? ["--key-file", home.path + "/pet.key"] : ["--passphrase"]
    let chat = try SpawnedProcess(
      PetBinary.path, ["chat", "--plain", "--profile", "watch", "--no-service"] + seal,
      environment: [
        "PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TERM": "xterm", "PET_PASSPHRASE": "a wet xylophone",
      ],
      files: (terminal.line, terminal.line, terminal.line))
    try await terminal.wait(for: "> ")
    terminal.type("/help\r")
    try await terminal.wait(for: "/quit")
    terminal.type("\u{10}\r")
    try await terminal.wait(for: "/quit")
    terminal.type("/quit\r")
    #expect(await chat.waitBriefly() == 0)
    #expect(FileManager.default.fileExists(atPath: home.path + "/pets/mochi"))
    #expect(!FileManager.default.fileExists(atPath: home.path + "/history"))
  }
}
