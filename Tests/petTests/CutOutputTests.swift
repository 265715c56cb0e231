// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// What came to less than was asked for ends with a status that says so.
@Suite("Output that is cut short")
struct CutOutputTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func shell(_ script: String) throws -> PetBinary.Result {
    try PetBinary.run(
      executable: "/bin/sh", ["-c", script, PetBinary.path],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
  }

  @Test("a text that Ctrl-C stops ends with 130, and is told")
  func interrupted() async throws {
    let grammar = home.path + "/long.gbnf"
    try "root ::= [a-z ]{900}".write(toFile: grammar, atomically: true, encoding: .utf8)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let error = open(home.path + "/error", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let process = try SpawnedProcess(
      PetBinary.path,
      ["complete", "--profile", "watch", "--prompt", "Once", "--max-tokens", "900", "--grammar", grammar],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path], files: (input, ends[1], error))
    for file in [ends[1], error, input] { close(file) }
    var byte: UInt8 = 0
    #expect(read(ends[0], &byte, 1) == 1)
    kill(process.pid, SIGINT)
    #expect(await process.waitBriefly() == 130)
    close(ends[0])
    #expect(try String(contentsOfFile: home.path + "/error", encoding: .utf8).contains("(stopped)"))
  }

  @Test(
    "Ctrl-C ends a conversation that nobody types: what was cut is told, the rest is not answered, and the status is 130",
    arguments: [true, false])
  func interruptedLines(isAnswering: Bool) async throws {
    var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    try #require(pipe(&input) == 0 && pipe(&output) == 0)
    let error = open(home.path + "/error", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let process = try SpawnedProcess(
      PetBinary.path, ["chat", "--profile", "watch", "--incognito", "--json", "--no-service"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path], files: (input[0], output[1], error))
    for file in [input[0], output[1], error] { close(file) }
    defer { for file in [input[1], output[0]] { close(file) } }
    let lines = isAnswering ? (0..<300).map { "the bus driver was singing \($0)\n" }.joined() : "/state\n"
    #expect(write(input[1], lines, lines.utf8.count) == lines.utf8.count)
    var byte: UInt8 = 0
    while byte != UInt8(ascii: "\n") { try #require(read(output[0], &byte, 1) == 1) }
    kill(process.pid, SIGINT)
    #expect(await process.waitBriefly() == 130)
    let told = try String(contentsOfFile: home.path + "/error", encoding: .utf8)
    #expect(told.contains("interrupted: line ") && told.contains(" were not answered"), "\(told)")
    if !isAnswering { #expect(told.contains("line 2 ")) }
  }

  @Test("a reader that goes away before the end leaves the status of SIGPIPE")
  func readerGone() throws {
    let result = try shell(
      #"{ yes /state | head -n 2000 | "$0" chat --incognito --json; echo "status $?" >&2; } | head -c 1"#)
    #expect(result.output == "{" && result.error.hasSuffix("status 141\n"), "\(result)")
  }

  @Test("a limit on file sizes is told as that, of a new pet and where one lives already")
  func fileSize() throws {
    // Below the 4096 bytes of its key, which are cut short by no error of their own.
    let new = try shell(#"ulimit -f 1; echo hello | "$0" chat --no-service >/dev/null"#)
    #expect(new.status == 3 && new.error.contains("ulimit -f"), "\(new)")
    #expect(try shell(#"rm -rf "$PET_HOME"/pets"#).status == 0)
    #expect(try PetBinary.run(["chat"], home: home.path, input: "/state\n").status == 0)
    let result = try shell(#"ulimit -f 1; echo /feed | "$0" chat --no-service >/dev/null"#)
    #expect(result.status == 3 && result.error.contains("ulimit -f"), "\(result)")
  }

  @Test("bytes that are not UTF-8 are told once, wherever a text comes from")
  func encoding() throws {
    let words = "not all of it is UTF-8"
    for script in [
      #"printf 'a\377\nb\377\n' | "$0" tokenize"#,
      #"yes word | head -n 500 >"$PET_HOME/t"; printf '\377' >>"$PET_HOME/t"; "$0" perplexity --ctx 64 "$PET_HOME/t""#,
    ] {
      let result = try shell(script)
      #expect(result.status == 0, "\(script): \(result)")
      #expect(result.error.components(separatedBy: words).count == 2, "\(script): \(result)")
    }
  }

  @Test(
    "a word that is not UTF-8 is refused by every program: as it would be read it names another text, file or folder")
  func words() throws {
    for script in [
      #""$0" tokenize "$(printf 'a\377')""#, #""$0" complete --prompt "$(printf 'a\377')""#,
      #""$0" classify stress "$PET_HOME/$(printf 'a\377.csv')""#,
      #""$0"d --socket "$PET_HOME/$(printf 'a\377')""#,
    ] {
      let result = try shell(script)
      #expect(result.status == 2 && result.output.isEmpty, "\(script): \(result)")
      #expect(result.error.contains(/pet.?: argument \d \('.*a\u{FFFD}/), "\(script): \(result)")
    }
    for program in [#""$0" doctor"#, #""$0"d"#] {
      let result = try shell(#"PET_HOME="$PET_HOME/$(printf 'a\377')"; "# + program)
      #expect(result.status == 3 && result.error.contains("PET_HOME: not all of it is UTF-8"), "\(program): \(result)")
    }
    // A secret is not shown.
    let secret = try shell(#"PET_PASSPHRASE="$(printf 'horse\377')" "$0" chat --passphrase"#)
    #expect(secret.status == 3 && !secret.error.contains("horse"), "\(secret)")
  }

  @Test("an input that came closed is no empty one")
  func closedInput() throws {
    for command in ["chat --incognito --profile watch", "complete --profile watch", "tokenize --profile watch"] {
      let result = try shell(#""$0" \#(command) <&-"#)
      #expect(result.status == 3 && result.error.contains("standard input: cannot read"), "\(command): \(result)")
    }
    let json = try shell(#""$0" classify pose - --json <&-"#)
    #expect(json.status == 3 && json.output.contains(#""error":"standard input: cannot read"#), "\(json)")
  }

  @Test("a path that is empty is shown as one")
  func emptyPath() throws {
    for command in ["perplexity ''", "classify pose ''", "models trust add ''"] {
      let result = try shell(#""$0" \#(command)"#)
      #expect(result.status == 3 && result.error.hasPrefix("pet: '': "), "\(command): \(result)")
    }
  }

  @Test("a link to settings that leads nowhere is refused")
  func danglingSettings() throws {
    #expect(symlink("/nowhere", home.path + "/config.toml") == 0)
    let result = try shell(#""$0" doctor"#)
    #expect(result.status == 3 && result.error.contains("config.toml: no such file"), "\(result)")
  }

  @Test("what is refused is named with its option, its file or its limit")
  func names() throws {
    for (arguments, status, words) in [
      (
        #"complete --prompt x --max-tokens 0"#, Int32(2),
        "--max-tokens is 0; give a number from 1 to 1000000; see 'pet complete --help'"
      ),
      ("bench -p 99999999", 2, "the number is too large"), ("top --socket ''", 2, "--socket is empty"),
      ("chat --session ''", 2, "--session"), ("complete --prompt x --stop ''", 2, "--stop is empty"),
      ("models convert ''", 2, "the name of the folder is empty"),
    ] {
      let result = try shell(#""$0" "# + arguments)
      #expect(result.status == status && result.error.contains(words), "\(arguments): \(result)")
    }
    let daemon = try shell(#""$0"d --socket ''"#)
    #expect(daemon.status == 2 && daemon.error.contains("--socket is empty"), "\(daemon)")
    let key = try shell(
      #"printf short >"$PET_HOME/key"; chmod 600 "$PET_HOME/key"; "$0" chat --key-file "$PET_HOME/key""#)
    #expect(key.status == 3 && key.error.contains(home.path + "/key"), "\(key)")
    let files = try shell(#"ulimit -n 4; "$0" complete --prompt x"#)
    #expect(files.status == 4 && files.error.contains("(ulimit -n)"), "\(files)")
  }
}
