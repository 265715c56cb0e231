// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// A line that begins with a slash and a letter is a command, whoever types it and whoever answers.
@Suite("Commands of a conversation, wherever lines are read")
struct CommandsEverywhereTests {
  enum Way: CaseIterable { case alone, throughDaemon }

  /// The objects of a conversation with `--json`, and how it ended.
  private func objects(_ input: String, _ way: Way) async throws -> (status: Int32, [[String: Any]]) {
    let result: PetBinary.Result
    switch way {
    case .alone:
      let home = try TemporaryHome()
      result = try PetBinary.run(
        ["chat", "--json", "--profile", "watch", "--no-initiative"], home: home.path, input: input)
    case .throughDaemon:
      let daemon = try await RunningDaemon(["--lease", "3600"])
      result = try PetBinary.run(["chat", "--json"], home: daemon.home.path, input: input)
      #expect(daemon.log.contains("/pet/pets/{pet}/memories"))
    }
    let lines = try result.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    return (result.status, lines)
  }

  @Test(
    "in a pipe, alone and through petd: each is answered by an object of its own, none by the model",
    arguments: Way.allCases)
  func pipe(_ way: Way) async throws {
    let input = """
      /memory add my name is Eve
      /memory edit 1 us
      /memory edit 1 my name is Max
      /MEMORY
      /dance
      /persona tofu
      /mmeory
      /face big
      //help is a word, you know
      /feed
      /forget everything
      /memory
      /quit
      hello
      """
    let (status, lines) = try await objects(input, way)
    #expect(status == 3)
    #expect(
      lines.map { $0["command"] as? String } == [
        "/memory", "/memory", "/memory", "/memory", "/dance", "/persona", "/mmeory", "/face", nil, "/feed", "/forget",
        "/memory", "/quit",
      ], "\(lines)")
    let texts = lines.map { $0["text"] as? String ?? $0["error"] as? String ?? "" }
    #expect(texts[0] == "1  user's name is Eve" && texts[1] == "1  user's name is us\nit was: user's name is Eve")
    #expect(texts[2] == "1  user's name is Max\nit was: user's name is us" && texts[3] == "1  user's name is Max")
    #expect((lines[3]["memories"] as? [[String: Any]])?.first?["value"] as? String == "Max")
    #expect(lines[4]["error"] is String && texts[4].hasPrefix("/dance: no such command") && texts[4].contains("/help"))
    #expect(texts[6].contains("did you mean /memory?"), "\(texts[6])")
    #expect(texts[7].contains("[full|small|off]"))
    #expect(lines[8]["source"] is String && lines.filter { $0["source"] != nil }.count == 1)
    #expect(lines[9]["emotion"] is String)
    #expect(
      texts[10] == "forgotten, for good" && texts[11] == "Mochi knows nothing of you yet" && texts[12] == "Goodbye!")
  }

  @Test("words of danger are no memory: the line says where help is", arguments: Way.allCases)
  func dangerousMemory(_ way: Way) async throws {
    let input = "/memory add I want to kill myself\n/memory add I like tea\n/memory edit 1 I want to die\n/memory\n"
    let (status, lines) = try await objects(input, way)
    #expect(status == 3 && lines.count == 4, "\(lines)")
    for place in [0, 2] {
      let error = lines[place]["error"] as? String ?? ""
      #expect(error.contains("findahelpline.com") && !error.contains("myself") && !error.contains("die"), "\(error)")
    }
    #expect(lines[3]["text"] as? String == "1  likes tea")
  }

  @Test("what is wrong is told in the same words alone and through petd, and no escape sequence reaches a pipe")
  func sameWords() async throws {
    let input = "/forget 77\n/memory edit 1 \n/dan\u{1B}[2Jce\n/model\n"
    let home = try TemporaryHome()
    let alone = try PetBinary.run(
      ["chat", "--profile", "watch", "--no-initiative"], home: home.path, input: input)
    let daemon = try await RunningDaemon()
    let through = try PetBinary.run(["chat"], home: daemon.home.path, input: input)
    #expect(alone.status == 3 && through.status == 3)
    #expect(alone.error == through.error && alone.output == through.output, "\(alone)\(through)")
    #expect(alone.error.contains("pet: there is no memory 77; list them"), "\(alone.error)")
    #expect(alone.error.contains("/dan␛[2Jce") && !alone.error.contains("\u{1B}"), "\(alone.error)")
    #expect(alone.output.contains("file     nano-v6.gguf\n"), "\(alone.output)")
  }

  @Test("what --knows gives in no known form is refused")
  func knows() throws {
    let home = try TemporaryHome()
    let result = try PetBinary.run(
      ["chat", "--incognito", "--profile", "watch", "--knows", "user has a dog; my name is Ada;; blah"], home: home.path
    )
    #expect(result.status == 2 && result.output.isEmpty && result.error.count { $0 == "\n" } == 1, "\(result)")
    #expect(result.error.contains("--knows: 'my name is Ada' is in no form"), "\(result)")
  }

  @Test("what --knows gives is listed, and stays")
  func given() throws {
    let home = try TemporaryHome()
    let result = try PetBinary.run(
      ["chat", "--incognito", "--profile", "watch", "--knows", "user's name is Ada; user has a dog"],
      home: home.path, input: "/memory\n/forget everything\nwhat is my name?\n")
    #expect(result.status == 0 && !result.output.contains("knows nothing"), "\(result)")
    #expect(result.output.hasPrefix("given  user's name is Ada (by --knows"), "\(result)")
    for part in ["given  user has a dog (", "what --knows gave stays", "Your name is Ada"] {
      #expect(result.output.contains(part), "\(result)")
    }
  }

  @Test(
    "what takes the place of a memory is told, a word that is no number is named, and a memory that is forgotten but still said is told",
    arguments: Way.allCases)
  func memoriesInTalk(_ way: Way) async throws {
    let input = """
      /memory add my name is Eve
      /memory add my name is Max
      /memory edit one two
      /forget all
      I have a cat named Ottoline.
      /memory
      /forget 3
      /reset
      /memory add I have a dog named Rex
      /forget 4
      """
    let (status, lines) = try await objects(input, way)
    let texts = lines.map { $0["text"] as? String ?? $0["error"] as? String ?? "" }
    #expect(status == 3 && texts.count == 10, "\(lines)")
    #expect(texts[1] == "2  user's name is Max\nit was: user's name is Eve", "\(texts)")
    #expect(texts[2].hasPrefix("/memory: 'one' is not the number of a memory"), "\(texts)")
    #expect(texts[3].contains("did you mean everything?"), "\(texts)")
    #expect(texts[5].contains("\n3  ") && texts[5].contains("Ottoline"), "\(texts)")
    #expect(texts[6].hasPrefix("forgotten: ") && texts[6].contains("still has your words"), "\(texts)")
    #expect(texts[9].hasPrefix("forgotten: ") && !texts[9].contains("still has your words"), "\(texts)")
  }

  @Test("every command of /help is answered, in text and in JSON")
  func all() async throws {
    let home = try TemporaryHome()
    let chat = ["chat", "--incognito", "--profile", "watch"]
    let help = try PetBinary.run(chat, home: home.path, input: "/?\n")
    let words: [Substring] = help.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    let left: Set<Substring> = ["//", "/forget", "/quit"]
    let names: [String] = words.filter { !left.contains($0) }.map { String($0) }
    #expect(names.count == 14 && help.status == 0, "\(help)")
    let input = names.joined(separator: "\n") + "\n/exit\n"
    let text = try PetBinary.run(chat, home: home.path, input: input)
    #expect(text.status == 0 && text.complaints == "" && text.output.hasSuffix("Goodbye!\n"), "\(text)")
    let json = try PetBinary.run(chat + ["--json"], home: home.path, input: input)
    let lines = try json.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(json.status == 0 && lines.map { $0["command"] as? String } == names + ["/quit"])
    #expect(lines.allSatisfy { ($0["text"] as? String)?.isEmpty == false })
  }

  @Test(
    "at a terminal, one that edits and a dumb one: a greeting, a prompt, and everything is forgotten only after a yes",
    .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"),
    arguments: ["xterm", "dumb", ""])
  func terminal(type: String) async throws {
    let home = try TemporaryHome()
    let terminal = try PseudoTerminal()
    let chat = try SpawnedProcess(
      PetBinary.path, ["chat", "--plain", "--profile", "watch", "--no-initiative"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path].merging(type.isEmpty ? [:] : ["TERM": type]) { $1 },
      files: (terminal.line, terminal.line, terminal.line))
    let greeting = try await terminal.wait(for: "> ")
    #expect(greeting.contains("AI"), "\(greeting)")
    terminal.type("/memory add my name is Ottoline\n")
    try await terminal.wait(for: "1  user's name is Ottoline")
    terminal.type("/forget everything\n")
    try await terminal.wait(for: "(yes, no)? ")
    terminal.type("no\n")
    try await terminal.wait(for: "nothing was forgotten")
    terminal.type("/memory\n")
    try await terminal.wait(for: "1  user's name is Ottoline")
    terminal.type("/forget everything\n")
    try await terminal.wait(for: "(yes, no)? ")
    terminal.type("yes\n")
    try await terminal.wait(for: "forgotten, for good")
    terminal.type("/memory\n")
    try await terminal.wait(for: "knows nothing of you yet")
    terminal.type("/persona tofu\n")
    try await terminal.wait(for: "no such command")
    terminal.type("Help\n")
    try await terminal.wait(for: "(/help lists the commands")
    terminal.type(" exit \n")
    try await terminal.wait(for: "(/quit leaves")
    terminal.type("/quit\n")
    try await terminal.wait(for: "Goodbye!")
    #expect(await chat.waitBriefly() == 0)
  }
}
