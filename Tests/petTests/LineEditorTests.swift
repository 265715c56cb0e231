// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Testing
import PetCommandLine
import PetRuntime
import pet

/// Signals are sent to this very process: one test at a time.
@Suite("With signals", .serialized)
struct SignalSuites {}

extension SignalSuites {
  @Suite(
    "LineEditor", .timeLimit(.minutes(1)),
    .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"))
  struct LineEditorTests {
    private let terminal: PseudoTerminal

    init() throws {
      terminal = try PseudoTerminal()
      try SignalMonitor.shared.start()
    }

    private func editor(commands: [String] = [], history: HistoryFile? = nil, type: String = "xterm") throws
      -> LineEditor
    {
      try LineEditor(
        commands: commands, history: history, environment: ["TERM": type], leaveHint: "HOW TO LEAVE",
        input: terminal.line, output: terminal.line)
    }

    /// Starts a read and returns once the prompt is up.
    private func reading(_ editor: LineEditor, prompt: String = "you> ") async throws -> Task<String?, any Error> {
      let task = Task { try await editor.readLine(prompt: prompt) }
      try await terminal.wait(for: prompt)
      return task
    }

    @Test("a line is edited and read, beyond ASCII too")
    func line() async throws {
      let editor = try editor()
      #expect(editor.mode == .editing)
      let first = try await reading(editor)
      terminal.type("helo\u{1B}[Dl\u{05} wörld 🐱x\u{7F}\r")
      #expect(try await first.value == "hello wörld 🐱")
      let second = try await reading(editor)
      terminal.type("\r")
      #expect(try await second.value == "")
    }

    @Test("pasted text of several lines is one line to be sent, with its line ends; no key in it is obeyed")
    func paste() async throws {
      let editor = try editor()
      let first = try await reading(editor)
      terminal.type("so: \u{1B}[200~one\r  two\tthrée\u{01}\u{1B}[D\n\u{1B}[201~")
      try await terminal.wait(for: "e[D")
      terminal.type("!\r")
      #expect(try await first.value == "so: one\n  two\tthrée[D!")
      try await terminal.wait(for: "\u{1B}[?2004l")
    }

    @Test("Ctrl with an arrow goes by words")
    func words() async throws {
      let first = try await reading(try editor())
      terminal.type("one two three\u{1B}[1;5D\u{1B}[1;5DX\u{1B}[1;5CY\r")
      #expect(try await first.value == "one XtwoY three")
    }

    @Test("Ctrl-D on an empty line is the end")
    func end() async throws {
      let task = try await reading(try editor())
      terminal.type("\u{04}")
      #expect(try await task.value == nil)
    }

    @Test("SIGINT abandons the line, not the program; twice on an empty line says how to leave")
    func interrupt() async throws {
      let task = try await reading(try editor())
      terminal.type("half a thought")
      try await terminal.wait(for: "thought")
      kill(getpid(), SIGINT)
      let shown = try await terminal.wait(for: "^C\r\nyou> ")
      #expect(!shown.contains("HOW TO LEAVE"))
      kill(getpid(), SIGINT)
      try await terminal.wait(for: "you> ")
      kill(getpid(), SIGINT)
      try await terminal.wait(for: "HOW TO LEAVE")
      terminal.type("whole\r")
      #expect(try await task.value == "whole")
    }

    @Test("Tab completes commands and lists them where several are possible")
    func completion() async throws {
      let editor = try editor(commands: ["/help", "/memory", "/metrics", "/quit"])
      let first = try await reading(editor)
      terminal.type("/h\t\r")
      #expect(try await first.value == "/help ")
      let second = try await reading(editor)
      terminal.type("/me\t")
      try await terminal.wait(for: "/memory  /metrics")
      terminal.type("t\t\r")
      #expect(try await second.value == "/metrics ")
    }

    @Test("what is shown meanwhile comes above the line, which stays as it is and goes on")
    func interjection() async throws {
      let editor = try editor()
      editor.interject("too early\n")
      let task = try await reading(editor)
      terminal.type("half a ")
      try await terminal.wait(for: "half a ")
      editor.interject("Mochi: I'm hungry.\n")
      let shown = try await terminal.wait(for: "half a ")
      #expect(shown.contains("Mochi: I'm hungry.") && !shown.contains("too early"))
      terminal.type("thought\r")
      #expect(try await task.value == "half a thought")
    }

    @Test("history: the arrow brings lines back, also those of another run")
    func history() async throws {
      let path = FileManager.default.temporaryDirectory.path + "/pet-history-\(UUID().uuidString)"
      defer { unlink(path) }
      let history = HistoryFile(path: path)
      let former = try editor(history: history)
      let secret = try await reading(former)
      terminal.type("a secret\r")
      #expect(try await secret.value == "a secret")
      former.settle(keeps: false)
      let first = try await reading(former)
      terminal.type("remember me\r")
      #expect(try await first.value == "remember me")
      former.settle(keeps: true)
      let second = try await reading(try editor(history: history))
      terminal.type("\u{10}\r")
      #expect(try await second.value == "remember me")
      // The same line twice in a row is one entry, an empty one is none.
      #expect(history.load() == ["remember me"])
    }

    @Test("cancelling the task ends the read and frees the editor for another")
    func cancel() async throws {
      let editor = try editor()
      let task = try await reading(editor)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      let next = try await reading(editor)
      await #expect(throws: LineEditorError.busy) { try await editor.readLine(prompt: "") }
      terminal.type("again\r")
      #expect(try await next.value == "again")
    }

    @Test("the terminal is as it was before, after each line")
    func restore() async throws {
      var before = termios()
      tcgetattr(terminal.line, &before)
      let editor = try editor()
      let task = try await reading(editor)
      var during = termios()
      tcgetattr(terminal.line, &during)
      #expect(during.c_lflag & UInt32(ICANON) == 0)
      terminal.type("x\r")
      _ = try await task.value
      var after = termios()
      tcgetattr(terminal.line, &after)
      #expect(after.c_lflag == before.c_lflag)
      #expect(after.c_iflag == before.c_iflag)
    }

    @Test("a dumb terminal gets plain lines")
    func dumb() async throws {
      let editor = try editor(type: "dumb")
      #expect(editor.mode == .plain && editor.isInteractive)
      terminal.type("plain line\n")
      #expect(try await editor.readLine(prompt: "") == "plain line")
    }
  }
}

@Suite("Lines of a pipe")
struct PlainLineTests {
  private func lines(of bytes: [UInt8]) async throws -> [String] {
    // The reader may leave before the writer is done.
    ProcessSignals.ignoreBrokenPipe()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    // A program that another test starts meanwhile must not keep them open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(input) }
    // A thread of its own: it waits for the reader, and the others' threads may all wait too.
    try startThread {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(output, $0.baseAddress, min($0.count, 60_000)) }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      close(output)
    }
    let editor = try LineEditor(environment: [:], input: input, output: input)
    var lines: [String] = []
    while let line = try await editor.readLine(prompt: "you> ") { lines.append(line) }
    return lines
  }

  @Test("line ends of both kinds, empty lines, a last line without one")
  func ends() async throws {
    #expect(try await lines(of: Array("one\ntwo\r\n\n  \nlast".utf8)) == ["one", "two", "", "  ", "last"])
    #expect(try await lines(of: []) == [])
    #expect(try await lines(of: Array("\n".utf8)) == [""])
  }

  @Test("what is not UTF-8 is repaired, not refused")
  func broken() async throws {
    #expect(try await lines(of: [0x61, 0xFF, 0x62, 0x0A]) == ["a\u{FFFD}b"])
  }

  @Test("a long line is read, an endless one is an error")
  func long() async throws {
    let long = [UInt8](repeating: 0x61, count: 1 << 19)
    #expect(try await lines(of: long + [0x0A]).map(\.utf8.count) == [1 << 19])
    await #expect(throws: LineEditorError.lineTooLong(limit: 1 << 20)) {
      try await lines(of: [UInt8](repeating: 0x61, count: 3 << 20))
    }
  }
}
