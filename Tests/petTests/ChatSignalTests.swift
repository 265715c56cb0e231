// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// What signals do to `pet chat`, beside its lines and its replies.
@Suite(
  "pet chat and signals",
  .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"))
struct ChatSignalTests {
  private let home: TemporaryHome
  private let terminal: PseudoTerminal

  init() throws {
    home = try TemporaryHome()
    terminal = try PseudoTerminal()
  }

  private func start(_ words: [String]) throws -> SpawnedProcess {
    try SpawnedProcess(
      words[0], Array(words.dropFirst()),
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TERM": "xterm"],
      files: (terminal.line, terminal.line, terminal.line))
  }

  /// The shell leads the session and goes on: the end of the program alone would reset the terminal.
  private func startInShell(_ words: [String]) throws -> SpawnedProcess {
    let script = #"trap : INT TERM HUP QUIT; "$0" "$@"; echo "ended $?"; read line"#
    return try start(["/usr/bin/setsid", "--ctty", "/bin/sh", "-c", script, PetBinary.path] + words)
  }

  private func echoes() -> Bool {
    var modes = termios()
    return tcgetattr(terminal.line, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO) != 0
  }

  @Test(
    "a signal at the prompt for a passphrase ends the program, and the terminal shows again what is typed",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func passphrase(number: Int32) async throws {
    let shell = try startInShell(["chat", "--passphrase", "--profile", "watch", "--no-service"])
    try await terminal.wait(for: "Passphrase: ")
    #expect(!echoes())
    if number == SIGINT { terminal.type("\u{3}") } else { kill(-shell.pid, number) }
    try await terminal.wait(for: "ended \(128 + number)")
    #expect(echoes())
    terminal.type("\n")
    #expect(await shell.waitBriefly() == 0)
  }

  @Test("Ctrl-\\ while a line is typed ends the program, and the terminal shows again what is typed")
  func quit() async throws {
    let shell = try startInShell(["chat", "--incognito", "--profile", "watch", "--no-service"])
    try await terminal.wait(for: "> ")
    #expect(!echoes())
    terminal.type("\u{1C}")
    try await terminal.wait(for: "ended \(128 + SIGQUIT)")
    #expect(echoes())
    terminal.type("\n")
    #expect(await shell.waitBriefly() == 0)
  }

  @Test("what whoever started it had it ignore, as nohup does, stays ignored")
  func ignored() async throws {
    let chat = try start([
      "/bin/sh", "-c", #"trap '' HUP INT; exec "$0" "$@""#, PetBinary.path, "chat", "--plain", "--profile", "watch",
      "--incognito", "--no-service",
    ])
    try await terminal.wait(for: "> ")
    let status = try String(contentsOfFile: "/proc/\(chat.pid)/status", encoding: .utf8)
    let ignored = try #require(status.firstMatch(of: /SigIgn:\s+([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) })
    for number in [SIGHUP, SIGINT] { #expect(ignored >> UInt64(number - 1) & 1 == 1, "signal \(number)") }
    kill(chat.pid, SIGHUP)
    terminal.type("/help\r")
    try await terminal.wait(for: "/quit")
    terminal.type("/quit\r")
    #expect(await chat.waitBriefly() == 0)
  }

  @Test("words of danger, and those beside them, are not in the file of lines; what came before and commands are")
  func lines() async throws {
    let chat = try start([
      PetBinary.path, "chat", "--plain", "--profile", "watch", "--session", "night", "--no-service",
    ])
    try await terminal.wait(for: "> ")
    for line in ["the kettle is on", "I want to kill myself", "it is all too much", "/state", "/quit"] {
      terminal.type(line + "\r")
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(await chat.waitBriefly() == 0)
    let kept = try String(contentsOfFile: home.path + "/history", encoding: .utf8)
    #expect(kept == "the kettle is on\n/state\n/quit\n")
  }

  @Test("a reply that an interrupt stops before its first word leaves what was said before as it was")
  func stoppedReply() async throws {
    let chat = try start([
      PetBinary.path, "chat", "--plain", "--profile", "watch", "--temperature", "0", "--session", "tea", "--no-service",
    ])
    try await terminal.wait(for: "> ")
    terminal.type("the bus driver was singing\r")
    let file = home.path + "/pets/mochi/conversations/tea.json"
    func exchanges() throws -> [(user: String, reply: String)] {
      let json = try JSONSerialization.jsonObject(with: Data(KeptConversation.text(file).utf8)) as? [String: Any]
      let exchanges = try #require(json?["exchanges"] as? [[String: Any]])
      return exchanges.map { ($0["user"] as? String ?? "", $0["reply"] as? String ?? "") }
    }
    for _ in 0..<500 where !FileManager.default.fileExists(atPath: file) {
      try await Task.sleep(for: .milliseconds(10))
    }
    let first = try #require(try exchanges().first)
    // Words of sympathy are expected of each: what is written for them must not be said in the place of the first reply.
    for delay in [0, 4] {
      terminal.type("i lost my job today\r")
      try await Task.sleep(for: .milliseconds(delay))
      kill(chat.pid, SIGINT)
      try await Task.sleep(for: .milliseconds(500))
    }
    terminal.type("/quit\r")
    #expect(await chat.waitBriefly() == 0)
    let all = try exchanges()
    #expect(all.first?.user == first.user && all.first?.reply == first.reply, "\(all)")
    // A signal that comes while a line is read drops what was read of it; the rest is then a line of its own.
    #expect(
      all.dropFirst().allSatisfy { "i lost my job today".hasSuffix($0.user) && !$0.reply.isEmpty }, "\(all)")
  }
}
