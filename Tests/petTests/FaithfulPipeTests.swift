// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetCommandLine
import PetEngine
import Testing

/// What a script relies on: nothing is lost, cut off or waited for without a word and a status.
@Suite("A pipe is told what is lost")
struct FaithfulPipeTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func pet(_ arguments: [String], input: String = "") throws -> PetBinary.Result {
    try PetBinary.run(arguments, home: home.path, input: input)
  }

  private func shell(
    _ script: String, _ environment: [String: String]? = nil, arguments: [String] = []
  ) throws -> PetBinary.Result {
    try PetBinary.run(
      executable: "/bin/sh", ["-c", script, PetBinary.path] + arguments,
      environment: environment ?? ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
  }

  private var pets: String { home.path + "/pets/mochi" }

  @Test("damaged files are told on standard error and as objects, with where they are kept")
  func damage() throws {
    #expect(try pet(["chat"], input: "/state\n").status == 0)
    try Data("{".utf8).write(to: URL(filePath: pets + "/state.json"))
    try Data(repeating: 7, count: 4096).write(to: URL(filePath: pets + "/memory.sqlite"))
    let result = try pet(["chat", "--json"], input: "/state\n")
    #expect(result.status == 0, "\(result)")
    for words in ["state.json", "memory.sqlite.damaged-1"] {
      #expect(result.error.contains(words) && result.output.contains(words), "\(result)")
    }
    #expect(result.output.contains(#""notice":"kept_aside""#), "\(result)")
  }

  @Test("kept answers that cannot be opened stop nobody")
  func cache() throws {
    try FileManager.default.createDirectory(atPath: pets + "/answers.cache", withIntermediateDirectories: true)
    let result = try pet(["chat"], input: "/state\n")
    #expect(result.status == 0 && result.error.contains("answers are not kept"), "\(result)")
    let json = try pet(["chat", "--json"], input: "/state\n")
    #expect(json.output.contains(#""notice":"not_kept""#) && !json.output.contains("kept_aside"), "\(json)")
  }

  @Test("a line that is too long gives one error, and later lines are answered")
  func longLine() throws {
    let result = try pet(
      ["chat", "--incognito", "--json"], input: String(repeating: "a", count: 3 << 20) + "\n/state\n")
    let lines = result.output.split(separator: "\n")
    #expect(result.status == 3 && lines.count == 2, "\(result.error)")
    #expect(lines.first?.contains("longer than 1048576 bytes") == true)
    #expect(lines.last?.contains(#""command":"/state""#) == true)
  }

  @Test("a byte order mark is no part of a line, and what is not UTF-8 is told once")
  func encoding() throws {
    let marked = try pet(["chat", "--incognito", "--json"], input: "\u{FEFF}/state\n")
    #expect(marked.status == 0 && marked.output.contains(#""command":"/state""#), "\(marked)")
    let broken = try shell("printf '/face a\\377\\n/face b\\377\\n' | \"$0\" chat --incognito")
    #expect(broken.error.components(separatedBy: "not all of it is UTF-8").count == 2, "\(broken)")
  }

  @Test("tokens of a line come while the next one is awaited; its end and a byte order mark are no part of it")
  func tokenLines() async throws {
    let plain = try pet(["tokenize", "--json"], input: "Hello\n\nBye")
    let lines = plain.output.split(separator: "\n")
    #expect(plain.status == 0 && lines.count == 3 && lines[1] == #"{"ids":[]}"#, "\(plain)")
    #expect(try pet(["tokenize", "--json"], input: "\u{FEFF}Hello\r\n\r\nBye\r\n").output == plain.output)

    var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    try #require(pipe(&input) == 0 && pipe(&output) == 0)
    for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let error = open("/dev/null", O_WRONLY | O_CLOEXEC)
    let process = try SpawnedProcess(
      PetBinary.path, ["tokenize", "--json"], environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path],
      files: (input[0], output[1], error))
    for file in [input[0], output[1], error] { close(file) }
    #expect(write(input[1], "Hello\n", 6) == 6)
    var ready = pollfd(fd: output[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&ready, 1, 20_000) == 1)
    close(input[1])
    #expect(await process.waitBriefly() == 0)
    close(output[0])
  }

  @Test("a line of 16 MiB and more is no line, and is refused without being held")
  func endlessTokenLine() throws {
    let result = try shell(#"head -c 40000000 /dev/zero | tr '\0' a | "$0" tokenize --json"#)
    #expect(result.status == 3 && result.error.contains("a line is longer than 16777216 bytes"), "\(result.error)")
    #expect(result.output.isEmpty)
  }

  @Test("perplexity reads standard input as -")
  func perplexity() throws {
    let text = String(repeating: "The cat sat on the mat. ", count: 20)
    let result = try pet(["perplexity", "--ctx", "16", "--json", "-"], input: text)
    #expect(result.status == 0 && result.output.contains(#""perplexity""#), "\(result)")
    let short = try pet(["perplexity", "-"], input: "x")
    #expect(short.status == 3 && short.error.contains("standard input: "), "\(short)")
  }

  @Test("the likeliest words repeat, and so do written answers")
  func repeats() throws {
    let lines = "hello\nI am sad\nwhat do you like?\nI had a long day\n"
    let arguments = ["chat", "--incognito", "--temperature", "0", "--clock", "1700000000"]
    let first = try pet(arguments, input: lines)
    #expect(first.status == 0 && !first.output.isEmpty)
    for _ in 0..<2 { #expect(try pet(arguments, input: lines).output == first.output) }
  }

  @Test("a text that is cut off says so on standard error")
  func cutOff() throws {
    let result = try pet(["complete", "--prompt", "Once upon a time", "--max-tokens", "3"])
    #expect(result.status == 0 && result.error.contains("(cut off at 3 tokens; --max-tokens allows more)"), "\(result)")
  }

  @Test("an output that came closed is an error")
  func closedOutput() throws {
    let result = try shell("\"$0\" complete --prompt hi --max-tokens 2 >&-")
    #expect(result.status == 3 && result.error.contains("standard output: cannot write"), "\(result)")
  }

  @Test("without HOME, what keeps nothing works")
  func noHome() throws {
    for arguments in ["complete --prompt hi --max-tokens 2", "doctor", "chat --incognito </dev/null"] {
      let result = try shell("\"$0\" \(arguments)", ["PATH": "/usr/bin:/bin"])
      #expect(result.status == 0, "\(arguments): \(result)")
    }
  }

  @Test(
    "where HOME is none, the password file names it",
    arguments: [(0, "/root"), (1000, "/home/ada"), (7, nil), (65534, nil)])
  func passwordFile(user: uid_t, home: String?) {
    let file =
      "root:x:0:0:root:/root:/bin/bash\n\nada:x:1000:1000::/home/ada:\nbroken:x:7\nnobody:x:65534:65534:::/bin/sh\n"
    #expect(ProcessEnvironment.home(of: user, in: file) == home)
  }

  @Test("no room for data, stacks of threads among it, is told, and nothing hangs")
  func data() throws {
    let result = try shell("ulimit -d 20000; \"$0\" complete --prompt hi --max-tokens 2")
    #expect(result.status == 4 && result.error.contains("(ulimit -d)"), "\(result)")
  }

  @Test("a limit on memory that leaves no room for a model is told")
  func addresses() throws {
    let result = try shell("ulimit -v 150000; \"$0\" complete --prompt hi --max-tokens 2")
    #expect(result.status == 4 && result.error.contains("not enough memory"), "\(result)")
  }

  @Test(
    "limits that leave no room for a conversation are told before anything is done",
    arguments: ["v 360000", "s 64", "n 12", "d 20000"])
  func limits(limit: String) throws {
    let result = try shell("ulimit -\(limit); echo hi | \"$0\" chat --json")
    #expect(result.status == 4 && result.output.isEmpty, "\(result)")
    #expect(result.error.contains("(ulimit -\(limit.prefix(1)))"), "\(result)")
    #expect(access(home.path + "/pets", F_OK) != 0)
  }

  @Test(
    "options are checked also where no line comes", arguments: [["--model", "/etc/passwd"], ["--kernels", "neon"]])
  func noLines(options: [String]) throws {
    guard options.last != "neon" || !KernelVariant.neon.isAvailable else { return }
    let result = try pet(["chat"] + options, input: "")
    #expect(result.status == 3 && result.output.isEmpty, "\(result)")
  }

  @Test("a HOME that is not there is not made")
  func missingHome() throws {
    let missing = home.path + "/no/such"
    let result = try shell("echo /state | \"$0\" chat", ["PATH": "/usr/bin:/bin", "HOME": missing])
    #expect(result.status == 3 && result.error.contains("HOME is"), "\(result)")
    #expect(access(home.path + "/no", F_OK) != 0)
  }

  @Test("what a command refuses once it runs points to its own help")
  func hint() throws {
    let result = try shell(
      "echo /state | \"$0\" chat --passphrase",
      ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "PET_PASSPHRASE": "ab"])
    #expect(result.status == 2 && result.error.contains("see 'pet chat --help'"), "\(result)")
  }

  @Test("a bench of nothing is told")
  func benchOfNothing() throws {
    let result = try pet(["bench", "-p", "0", "-n", "0"], input: "")
    #expect(result.status == 2 && result.error.contains("nothing is to be measured"), "\(result)")
  }

  @Test("a key is made where it can fit, and that is told")
  func key() throws {
    let path = home.path + "/key"
    #expect(try pet(["chat"], input: "/state\n").status == 0)
    let refused = try pet(["chat", "--key-file", path], input: "/state\n")
    #expect(refused.status == 3 && !FileManager.default.fileExists(atPath: path), "\(refused)")
    let made = try pet(["chat", "--persona", "zest", "--key-file", path], input: "/state\n")
    #expect(made.status == 0 && made.error.contains("a new key was made"), "\(made)")
  }

  @Test("half of a pair of keys is not left behind")
  func halfPair() throws {
    try Data().write(to: URL(filePath: home.path + "/a.key.pub"))
    let result = try pet(["models", "keygen", home.path + "/a.key"])
    #expect(result.status == 3, "\(result)")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/a.key"))
  }

  @Test("a pipe without a writer is told of")
  func fifo() throws {
    #expect(mkfifo(home.path + "/pipe", 0o600) == 0)
    let result = try shell("timeout 3 \"$0\" perplexity \"$PET_HOME/pipe\"")
    #expect(result.status == 124 && result.error.contains("waiting for a program that writes into it"), "\(result)")
  }

  @Test("what root makes in another's home belongs to its owner", .enabled(if: getuid() == 0))
  func owner() throws {
    #expect(chown(home.path, 65534, 65534) == 0)
    #expect(try pet(["chat"], input: "/state\n").status == 0)
    for name in try FileManager.default.subpathsOfDirectory(atPath: home.path) {
      var status = stat()
      #expect(lstat(home.path + "/" + name, &status) == 0 && status.st_uid == 65534, "\(name)")
    }
  }
}
