// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetCompanion
import Testing

/// `pet chat` as people and programs use it, on a model of random weights.
@Suite("pet chat")
struct ChatTests {
  private static func turns(_ result: PetBinary.Result) throws -> [[String: Any]] {
    #expect(result.status == 0, "\(result.error)")
    return try result.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static func chat(
    _ arguments: [String], input: String, model: String = Fixtures.smallModel
  ) throws -> PetBinary.Result {
    let home = try TemporaryHome()
    return try PetBinary.run(["chat", "--model", model] + arguments, home: home.path, input: input)
  }

  @Test("one line is one turn; the history is computed once")
  func lines() throws {
    let home = try TemporaryHome()
    let file = home.path + "/kettle.txt"
    try "A kettle.".write(toFile: file, atomically: true, encoding: .utf8)
    let turns = try Self.turns(
      Self.chat(
        ["--json", "--persona", file, "--max-tokens", "50", "--seed", "1"], input: "red\n\nand then blue?\ngreen"))
    #expect(turns.count == 3)
    var past = 0
    for (index, turn) in turns.enumerated() {
      #expect(
        Set(turn.keys)
          == [
            "text", "emotion", "actions", "well_formed", "source", "rung", "danger", "safety", "cached",
            "finish_reason", "notices", "context", "memories", "usage", "timings", "model", "tier", "degraded",
          ])
      // What a person names by its path is in no catalog.
      #expect(turn["model"] as? String == Fixtures.smallModel && turn["tier"] is NSNull)
      let usage = try #require(turn["usage"] as? [String: Int])
      #expect(index == 0 || usage["cached_tokens"] ?? 0 >= past)
      past = try #require(usage["prompt_tokens"])
    }
  }

  @Test("a conversation is drawn again from its seed")
  func seed() throws {
    func texts(_ seed: String) throws -> [String] {
      try Self.turns(Self.chat(["--json", "--max-tokens", "80", "--seed", seed], input: "red\nblue\ngreen\n"))
        .compactMap { $0["text"] as? String }
    }
    #expect(try texts("3") == texts("3"))
    #expect(try texts("3") != texts("4"))
  }

  @Test("the persona is what the model reads first")
  func persona() throws {
    let home = try TemporaryHome()
    let file = home.path + "/persona.txt"
    try "  You are a kettle.\n".write(toFile: file, atomically: true, encoding: .utf8)
    let arguments = ["--json", "--max-tokens", "80", "--seed", "1"]
    func prompt(_ extra: [String]) throws -> Int? {
      (try Self.turns(Self.chat(arguments + extra, input: "a red kettle\n"))[0]["usage"] as? [String: Int])?[
        "prompt_tokens"]
    }
    let (kettle, mochi, zest) = try (prompt(["--persona", file]), prompt([]), prompt(["--persona", "zest"]))
    #expect(try #require(kettle) < #require(mochi))
    #expect(try #require(zest) > #require(kettle) && zest != mochi)
    #expect(try Self.chat(["--persona", "/nonexistent.txt"], input: "hi\n").status == 3)
  }

  @Test("that of a text as persona nothing is kept is told once, at the start; of a pet nothing is told")
  func textPersona() throws {
    let home = try TemporaryHome()
    let file = home.path + "/persona.txt"
    try "You are a kettle.".write(toFile: file, atomically: true, encoding: .utf8)
    func told(_ persona: String, _ words: [String] = []) throws -> String {
      let result = try Self.chat(
        ["--persona", persona, "--max-tokens", "2", "--seed", "1"] + words, input: "red\nblue\n")
      #expect(result.status == 0, "\(result)")
      return result.error
    }
    for words in [[], ["--json"]] {
      let text = try told(file, words)
      #expect(text.components(separatedBy: "nothing of this conversation is kept").count == 2, "\(text)")
    }
    #expect(try !told("zest").contains("is kept"))
  }

  @Test("of a message that cannot fit both ends are read, which is said, and the conversation goes on")
  func tooLong() throws {
    let long = String(repeating: "a b c d e f g h ", count: 60)
    let result = try Self.chat(["--profile", "watch", "--max-tokens", "80"], input: long + "\nhi\n")
    #expect(result.status == 0 && result.error.contains("its beginning and its end were read"))
    let turns = try Self.turns(Self.chat(["--json", "--max-tokens", "80"], input: long + "\nwhat now then\n"))
    #expect(turns.count == 2)
    #expect((turns[0]["notices"] as? [[String: Any]])?.first?["kind"] as? String == "shortened")
    #expect((turns[1]["notices"] as? [Any])?.isEmpty == true)
  }

  @Test("a model without a chat template says what to use instead")
  func noTemplate() throws {
    let home = try TemporaryHome()
    let path = home.path + "/model.gguf"
    var file = try Data(contentsOf: URL(filePath: Fixtures.smallModel))
    let key = try #require(file.range(of: Data("tokenizer.chat_template".utf8)))
    file.replaceSubrange(key, with: "tokenizer.chat_tem-late".utf8)
    try file.write(to: URL(filePath: path))
    let result = try Self.chat([], input: "hi\n", model: path)
    #expect(result.status == 3)
    #expect(result.error.contains("tokenizer.chat_template") && result.error.contains("pet complete"))
  }

  @Test("an unknown chat template names those that are known")
  func unknownTemplate() throws {
    let home = try TemporaryHome()
    let path = home.path + "/model.gguf"
    var file = try Data(contentsOf: URL(filePath: Fixtures.smallModel))
    while let mark = file.range(of: Data("<|assistant|>\\n".utf8)) {
      file.replaceSubrange(mark, with: "<:assistant:>\\n".utf8)
    }
    while let mark = file.range(of: Data("<|end|>\\n".utf8)) { file.replaceSubrange(mark, with: "<:end:>\\n".utf8) }
    try file.write(to: URL(filePath: path))
    let result = try Self.chat([], input: "hi\n", model: path)
    #expect(result.status == 3)
    for name in ["phi-3", "chatml", "llama-2", "llama-3", "gemma", "zephyr"] { #expect(result.error.contains(name)) }
  }

  /// The store that `PET_TEST_MODEL` is in has the default model too (scripts/test).
  private static let model = ProcessInfo.processInfo.environment["PET_TEST_MODEL"]

  @Test(
    "the default model answers as a pet: text without marks, an emotion, in the form it was trained for",
    .enabled(if: model != nil || ProcessInfo.processInfo.environment["CI"] != nil))
  func pet() throws {
    let model = try #require(Self.model, "PET_TEST_MODEL must be set where CI is")
    let home = try TemporaryHome()
    let store = URL(filePath: model).deletingLastPathComponent().deletingLastPathComponent().path
    try FileManager.default.createSymbolicLink(atPath: home.path + "/models", withDestinationPath: store)
    let turns = try Self.turns(
      PetBinary.run(
        ["chat", "--json", "--temperature", "0", "--persona", "tofu"], home: home.path,
        input: "your kettle has a lid\nyour lid is made of brass\nyour socks are blue\n"))
    #expect(turns.count == 3)
    for turn in turns {
      let text = try #require(turn["text"] as? String)
      #expect(!text.isEmpty && !text.contains("{") && turn["emotion"] is String && turn["well_formed"] as? Bool == true)
    }
    // The compact form, not sentences: a header of a few dozen tokens.
    let usage = try #require(turns[0]["usage"] as? [String: Int])
    #expect(try #require(usage["prompt_tokens"]) < 50)
  }

  @Test("without a network and a fetched model, the one that is part of the program answers, and says so")
  func builtIn() throws {
    let home = try TemporaryHome()
    let result = try PetBinary.run(
      ["chat", "--json", "--temperature", "0"], home: home.path, input: "hello!\nare you hungry?\n")
    #expect(result.error.contains("pet-nano answers") && result.error.contains("pet models pull"))
    let turns = try Self.turns(result)
    #expect(turns.count == 2)
    for turn in turns { #expect(turn["well_formed"] as? Bool == true) }
  }

  @Test("on a watch the built-in model is what is meant, and danger is answered by hand-written words")
  func watch() throws {
    let home = try TemporaryHome()
    let arguments = ["chat", "--json", "--profile", "watch", "--temperature", "0"]
    let result = try PetBinary.run(arguments, home: home.path, input: "your kettle has a lid\ni want to kill myself\n")
    #expect(result.complaints == "")
    let turns = try Self.turns(result)
    #expect(turns.map { $0["source"] as? String } == ["model", "rule"])
    #expect(turns.map { $0["rung"] as? String } == ["model", "care"])
    #expect(turns[1]["well_formed"] as? Bool == true)
    let said = try #require(turns[1]["text"] as? String)
    #expect(said.contains("call"))

    let alone = try Self.turns(
      PetBinary.run(arguments + ["--model-only"], home: home.path, input: "i want to kill myself\n"))
    let text = try #require(alone.first?["text"] as? String)
    #expect(!text.isEmpty && !text.unicodeScalars.contains { $0.value < 0x20 } && !said.hasPrefix(text))
  }

  @Test("each reply says which rung answered, and the settings which may")
  func rungs() throws {
    let home = try TemporaryHome()
    let lines = ["hello", "what is 7 times 6?", "what is my name?", "tell me a joke about a noose", "are you human?"]
    func rungs(_ arguments: String...) throws -> [String?] {
      try Self.turns(
        PetBinary.run(
          ["chat", "--json", "--incognito", "--profile", "watch", "--temperature", "0"] + arguments, home: home.path,
          input: lines.joined(separator: "\n") + "\n")
      ).map { $0["rung"] as? String }
    }
    #expect(try rungs() == ["frequent", "sum", "untold", "model", "honesty"])
    let few = "answers.rungs=care, honesty, memory, untold, model, replacement"
    #expect(try rungs("--set", few) == ["model", "model", "untold", "model", "honesty"])
    let refused = try PetBinary.run(
      ["chat", "--set", "answers.rungs=model, honesty", "--incognito"], home: home.path, input: "hello\n")
    #expect(refused.status == 2 && refused.complaints.contains("always care, honesty, memory"), "\(refused.complaints)")
    let counted = try PetBinary.run(
      ["chat", "--incognito", "--profile", "watch"], home: home.path, input: "hello\nhello\n/stats\n")
    #expect(counted.output.contains("2 frequent"), "\(counted.output)")
  }

  @Test("a message too long for the context is still read for danger")
  func tooLongAndInDanger() throws {
    let home = try TemporaryHome()
    let letter = String(repeating: "i did the washing and i cooked and i sat down. ", count: 60)
    let danger = try PetBinary.run(
      ["chat", "--json", "--profile", "watch", "--temperature", "0"], home: home.path,
      input: letter + "i want to kill myself\n")
    #expect(try Self.turns(danger).first?["source"] as? String == "rule")
  }

  @Test("what a person tells is kept with the pet, unless nothing is to be kept")
  func kept() throws {
    let home = try TemporaryHome()
    let arguments = ["chat", "--json", "--profile", "watch", "--temperature", "0"]
    _ = try Self.turns(PetBinary.run(arguments + ["--incognito"], home: home.path, input: "my name is Ada\n"))
    #expect(!FileManager.default.fileExists(atPath: home.path + "/pets"))
    _ = try Self.turns(PetBinary.run(arguments, home: home.path, input: "my name is Ada\n"))
    let files = try FileManager.default.contentsOfDirectory(atPath: home.path + "/pets/mochi")
    #expect(Set(files).isSuperset(of: ["memory.sqlite", "state.json"]))
    for wrong in [
      ["--state", "hunger=80"], ["--incognito", "--state", "hunger=800"], ["--incognito", "--state", "luck=1"],
    ] {
      #expect(try PetBinary.run(arguments + wrong, home: home.path, input: "hi\n").status == 2)
    }
  }

  @Test(
    "on a terminal: commands, streaming, Ctrl-C stops the reply and nothing else",
    .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"))
  func terminal() async throws {
    let home = try TemporaryHome()
    let terminal = try PseudoTerminal()
    // setsid(1) with --ctty makes standard input the controlling terminal of a new session, so Ctrl-C arrives as a signal.
    let child = try SpawnedProcess(
      "/usr/bin/setsid",
      [
        "--ctty", PetBinary.path, "chat", "--model", Fixtures.smallModel, "--max-tokens", "1000000", "--seed", "2",
        "--temperature", "3",
      ],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TERM": "xterm"],
      files: (terminal.line, terminal.line, terminal.line))
    try await terminal.wait(for: "> ")
    terminal.type("/help\n")
    try await terminal.wait(for: "/quit")
    terminal.type("/dance\n")
    try await terminal.wait(for: "no such command")
    terminal.type("hello\n")
    try await Task.sleep(for: .milliseconds(300))
    terminal.type("\u{3}")
    try await terminal.wait(for: "> ")
    terminal.type("/stats\n")
    try await terminal.wait(for: "> ")
    terminal.type("/model\n")
    try await terminal.wait(for: "phi3")
    terminal.type("/quit\n")
    #expect(await child.waitBriefly() == 0)
    #expect(FileManager.default.fileExists(atPath: home.path + "/history"))
  }

  @Test(
    "on a terminal: after a while unused the model goes, memory with it, and the conversation goes on where it was",
    .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"))
  func idle() async throws {
    let home = try TemporaryHome()
    let terminal = try PseudoTerminal()
    let child = try SpawnedProcess(
      PetBinary.path,
      ["chat", "--model", "pet-nano", "--temperature", "0", "--set", "memory.idle_time_to_live=1"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TERM": "xterm"],
      files: (terminal.line, terminal.line, terminal.line))
    /// Kilobytes that the process has given back since it had most.
    func givenBack() throws -> Int {
      let status = try String(contentsOfFile: "/proc/\(child.pid)/status", encoding: .utf8)
      let now = try #require(status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Int($0.1) })
      let most = try #require(status.firstMatch(of: /VmHWM:\s+(\d+)/).flatMap { Int($0.1) })
      return most - now
    }
    try await terminal.wait(for: "> ")
    terminal.type("hello\n")
    var back = 0
    for _ in 0..<3000 where back < 10_000 {
      try await Task.sleep(for: .milliseconds(10))
      back = try givenBack()
    }
    // The model's weights are 11 MB.
    #expect(back >= 10_000, "\(back) kB")
    terminal.type("and now?\n")
    try await terminal.wait(for: "> ")
    terminal.type("/stats\n")
    let facts = try await terminal.wait(for: "writing")
    // The first turn is in the prompt, and was read again.
    let prompt = try #require(facts.firstMatch(of: /prompt +(\d+) tokens, (\d+) of them cached/))
    #expect(try #require(Int(prompt.1)) > 30 && prompt.2 == "0", "\(facts)")
    terminal.type("/quit\n")
    #expect(await child.waitBriefly() == 0)
  }
}
