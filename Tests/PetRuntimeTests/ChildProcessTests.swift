// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetRuntime
import Testing

@Suite("ChildProcess")
struct ChildProcessTests {
  private static let environment = ["PATH": "/usr/bin:/bin", "WORD": "two words"]

  private func run(_ arguments: String...) throws -> ChildProcess.Outcome {
    try ChildProcess(arguments, environment: Self.environment).run {}
  }

  @Test("exit status and last words")
  func status() throws {
    #expect(try run("true") == .init(status: 0, lastErrorLine: ""))
    let script = "echo one >&2; echo two >&2; echo >&2; exit 7"
    #expect(try run("sh", "-c", script) == .init(status: 7, lastErrorLine: "two"))
    #expect(try run("sh", "-c", "kill -9 $$").status == -9)
  }

  @Test("arguments and environment arrive as they are: no shell reads them")
  func arguments() throws {
    let script = #"printf '%s|%s|%s\n' "$1" "$2" "$WORD" >&2"#
    #expect(try run("sh", "-c", script, "sh", "a b; $(id)", "*").lastErrorLine == "a b; $(id)|*|two words")
  }

  @Test("megabytes of standard error block nothing, and only the end is kept")
  func muchOutput() throws {
    let outcome = try run(
      "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' 'x' | fold -w 99 >&2; echo >&2; echo end >&2")
    #expect(outcome == .init(status: 0, lastErrorLine: "end"))
  }

  @Test("a grandchild that keeps standard error open does not hold the wait")
  func grandchild() throws {
    let start = ContinuousClock.now
    #expect(try run("sh", "-c", "sleep 400 & echo done >&2").lastErrorLine == "done")
    #expect(start.duration(to: .now) < .seconds(300))
  }

  @Test("a program that is not there is an error with its name")
  func absent() throws {
    let error = try #require(throws: FetchError.self) { try run("no-such-program") }
    // EACCES: a folder of PATH may not be searched, as with one of root's for anybody else (execvp(3)).
    #expect(
      [ENOENT, EACCES].map { FetchError.spawn(program: "no-such-program", code: $0) }.contains(error), "\(error)")
  }

  @Test("a program of whose end somebody else was told has ended, and not well", .timeLimit(.minutes(1)))
  func statusTaken() throws {
    let process = ChildProcess(["sh", "-c", "echo $$; exec sleep 400"], environment: Self.environment)
    let outcome = try process.run(
      output: { piece in
        let child = try #require(pid_t(String(decoding: piece, as: UTF8.self).dropLast()))
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
      }, check: {})
    #expect(outcome == .init(status: ChildProcess.Outcome.unknownStatus, lastErrorLine: ""))
  }

  @Test("the check ends the program, even one that ignores SIGTERM")
  func check() {
    struct Enough: Error {}
    let start = ContinuousClock.now
    #expect(throws: Enough.self) {
      try ChildProcess(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"], environment: Self.environment)
        .run { if start.duration(to: .now) > .milliseconds(300) { throw Enough() } }
    }
    #expect(start.duration(to: .now) < .seconds(300))
  }

  @Test("standard output arrives whole; who refuses it, even its end, ends the program")
  func output() throws {
    struct Enough: Error {}
    var bytes = 0
    let process = ChildProcess(["head", "-c", "3000000", "/dev/zero"], environment: Self.environment)
    #expect(try process.run(output: { bytes += $0.count }, check: {}).status == 0)
    #expect(bytes == 3_000_000)
    let start = ContinuousClock.now
    for script in ["echo end", "echo first; exec sleep 400"] {
      #expect(throws: Enough.self) {
        try ChildProcess(["sh", "-c", script], environment: Self.environment)
          .run(output: { _ in throw Enough() }, check: { usleep(50_000) })
      }
    }
    #expect(start.duration(to: .now) < .seconds(300))
  }
}
