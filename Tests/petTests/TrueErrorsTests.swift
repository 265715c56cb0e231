// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetCommandLine
import PetFiles
import PetRuntime
import Testing

/// What goes wrong around a program is told as what it is, with the way to mend it, and is no fault of the program.
@Suite("Errors are true")
struct TrueErrorsTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func pet(_ arguments: [String], _ environment: [String: String] = [:], input: String = "") throws
    -> PetBinary.Result
  {
    try PetBinary.run(
      executable: PetBinary.path, arguments,
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path].merging(environment) { $1 }, input: input)
  }

  /// A script, run by a user who owns nothing.
  private func asNobody(_ script: String, _ arguments: [String] = []) throws -> PetBinary.Result {
    let shell = ["/bin/sh", "-c", script, PetBinary.path] + arguments
    let user = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    return try PetBinary.run(
      executable: "/usr/bin/env", user + shell, environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
  }

  private func expect(
    _ result: PetBinary.Result, _ status: Int32, _ words: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
    #expect(result.error.filter { $0 == "\n" }.count == 1, "\(result)", sourceLocation: sourceLocation)
    for word in words { #expect(result.error.contains(word), "\(result)", sourceLocation: sourceLocation) }
    for word in ["internal error", "errno", "descriptor:", "Error("] {
      #expect(!result.error.contains(word), "\(result)", sourceLocation: sourceLocation)
    }
  }

  @Test("a name that nobody knows is told with the one that was probably meant, and the right status")
  func names() throws {
    expect(try pet(["modles", "list"]), 2, ["'modles'", "did you mean 'models'?", "'pet --help'"])
    expect(try pet(["models", "lst"]), 2, ["did you mean 'list'?", "'pet models --help'"])
    expect(try pet(["models", "trust", "ad", "x"]), 2, ["did you mean 'add'?"])
    expect(try pet(["doctor", "--profile", "wacth"]), 2, ["did you mean 'watch'?"])
    expect(try pet(["doctor", "--profil", "watch"]), 2, ["--profile"])
    #expect(try daemon(["--log-level", "wraning"]).error.contains("did you mean 'warning'?"))
    expect(try pet(["doctor", "--set", "weights=maped"]), 2, ["did you mean mapped?"])
    expect(try pet(["models", "show", "pet135m"]), 3, ["did you mean pet-135m?", "known are"])
    expect(try pet(["chat", "--model", "pet-nanno"], input: "hi\n"), 3, ["did you mean pet-nano?"])
    expect(try pet(["chat", "--persona", "mohci"], input: "hi\n"), 3, ["did you mean mochi?", "zest"])
    expect(try pet(["chat"], ["PET_CONTXT": "64"], input: "hi\n"), 3, ["did you mean PET_CONTEXT?"])
  }

  @Test("help for a command that is none is a usage error with the nearest name, however it is asked for")
  func help() throws {
    for (words, name) in [
      (["help", "complte"], "complete"), (["complte", "--help"], "complete"), (["--help", "complte"], "complete"),
      (["complte", "--version"], "complete"), (["help", "models", "pul"], "pull"), (["models", "help", "pul"], "pull"),
      (["models", "pul", "--help"], "pull"), (["models", "--help", "pul"], "pull"),
      (["models", "trust", "help", "ad"], "add"), (["help", "classify", "stres"], "stress"),
    ] {
      let result = try pet(words)
      expect(result, 2, ["did you mean '\(name)'?", "--help'"])
      #expect(result.output.isEmpty, "\(words): \(result)")
    }
    expect(try pet(["help", "models", "pull", "extra"]), 2, ["'pet models pull' has no commands", "'extra'"])
    let daemon = try PetBinary.run(
      executable: PetBinary.path + "d", ["help", "tokn"], environment: ["PATH": "/usr/bin:/bin"])
    expect(daemon, 2, ["petd: 'tokn'", "did you mean 'token'?"])
    for words in [["help", "models", "pull"], ["models", "help", "pull"], ["models", "pull", "--help"]] {
      let result = try pet(words)
      #expect(result.status == 0 && result.output.contains("USAGE: pet models pull"), "\(words): \(result)")
    }
    expect(try pet(["models", "verify", "/dev/null"]), 3, ["not a name but a path"])
  }

  @Test("a whole number is written as one")
  func integers() throws {
    expect(try pet(["complete", "--prompt", "x", "--max-tokens", "0"]), 2, ["is 0; give a number from 1 to"])
    expect(try pet(["complete", "--prompt", "x", "--top-k=-1"]), 2, ["is -1; give a number from 0 to"])
    expect(try pet(["complete", "--prompt", "x", "--top-p", "1.5"]), 2, ["is 1.5; give a number from 0 to 1"])
    expect(try pet(["complete", "--prompt", "x", "--max-tokens", "99999999999"]), 2, ["is 99999999999; give a number"])
  }

  @Test("a negative number behind an option is its value, and is refused as what it is", arguments: [" ", "="])
  func negative(between: String) throws {
    func refused(_ option: String, _ value: String, _ words: [String]) throws {
      let given = between == "=" ? ["\(option)=\(value)"] : [option, value]
      expect(try pet(["complete", "--prompt", "x"] + given), 2, words)
    }
    try refused("--max-tokens", "-4", ["--max-tokens is -4; give a number from 1 to 1000000"])
    try refused("--temperature", "-1", ["temperature is -1; give a number from 0 to 10"])
    try refused("--temperature", "-.5", ["temperature is -0.5; give a number from 0 to 10"])
    try refused("--seed", "-1", ["'-1' is invalid for '--seed <seed>': give a number that is not negative"])
    try refused("--seed", "1.5", ["'1.5' is invalid for '--seed <seed>': give a whole number"])
    try refused("--max-tokens", "99999999999999999999", [": the number is too large"])
  }

  @Test("where no petd listens, or nothing can listen, the place is named, and a way to mend it")
  func listening() throws {
    expect(try pet(["top"]), 3, ["petd.sock: no petd answers there; start one"])
    expect(try pet(["chat", "--socket", home.path + "/none"], input: "hi\n"), 3, ["no petd answers there"])
    expect(try pet(["privacy", "--socket", home.path + "/none"]), 3, ["no petd answers there"])
    chmod(home.path, 0o755)
    let plain = home.path + "/plain"
    try "x".write(toFile: plain, atomically: true, encoding: .utf8)
    expect(try asNobody("exec \"$0\" top --socket \"$1\"", [plain]), 3, ["no petd answers there"])

    let taken = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(taken) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place -> Bool in
        bind(taken, place, length) == 0 && listen(taken, 1) == 0 && getsockname(taken, place, &length) == 0
      }
    }
    try #require(port)
    let number = UInt16(bigEndian: address.sin_port)
    expect(try daemon(["--port", "\(number)"]), 3, ["127.0.0.1:\(number): cannot listen", "--port"])

    expect(try daemon(["--socket", "/proc/none/petd.sock"]), 3, ["/proc/none: cannot open: No such file"])
    expect(
      try daemon(["--socket", home.path + "/mistyped/a/petd.sock"]), 3, ["/mistyped/a: cannot open: No such file"])
    #expect(!FileManager.default.fileExists(atPath: home.path + "/mistyped"))
    let folder = home.path + "/readonly"
    mkdir(folder, 0o555)
    chmod(home.path, 0o755)
    if getuid() == 0 { #expect(chown(home.path, 65534, 65534) == 0) }
    expect(
      try asNobody("HOME=/ exec \"$0\"d --profile watch --log-level error --socket \"$1/petd.sock\"", [folder]), 3,
      ["petd.sock: cannot listen: Permission denied; check who owns the folder"])
  }

  private func daemon(_ arguments: [String]) throws -> PetBinary.Result {
    try PetBinary.run(
      executable: PetBinary.path + "d", ["--profile", "watch", "--log-level", "error"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
  }

  @Test("a limit that is too low is told as that one, and ends with 4")
  func limits() throws {
    func limited(_ limit: String, _ command: String) throws -> PetBinary.Result {
      try PetBinary.run(
        executable: "/bin/sh", ["-c", "ulimit \(limit); exec \"$0\" \(command)", PetBinary.path],
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path], input: "hi\n")
    }
    expect(try limited("-n 9", "chat --profile watch"), 4, ["(ulimit -n)"])
    expect(try limited("-d 20000", "chat --profile watch"), 4, ["(ulimit -d)"])
    expect(try limited("-n 8", "classify pose photo.jpg"), 4, ["(ulimit -n)"])
    expect(try limited("-v 250000", "chat --profile watch"), 4, ["(ulimit -v)"])
    for code in [EMFILE, ENFILE, ENOMEM] {
      #expect(FileError(path: "x", operation: "open", code: code).exitStatus == .outOfMemory)
      #expect(FileError(path: "x", operation: "open", code: code).description.contains("(ulimit "))
    }
    // A file that another program has locked.
    #expect(FileError(path: "x", operation: "lock", code: EAGAIN).exitStatus == .refused)
    #expect(FileError(path: "x", operation: "open", code: EACCES).exitStatus == .refused)
    #expect(FetchError.spawn(program: "x", code: EAGAIN).exitStatus == .outOfMemory)
  }

  @Test("lines of a pipe that no model answers are told from which one on, as an object too")
  func lostLines() throws {
    let result = try pet(
      ["chat", "--incognito", "--json", "--profile", "watch", "--set", "memory.budget=1MB"],
      input: "/state\nhello there\nbye\n")
    let told = "line 2 and those behind it were not answered: model '"
    #expect(result.status == 4 && result.error.contains("pet: \(told)"), "\(result)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.last?.contains(#""error":"\#(told)"#) == true, "\(result)")
  }

  @Test("a home that is a file, or another's")
  func homes() throws {
    let file = home.path + "/file"
    try "x".write(toFile: file, atomically: true, encoding: .utf8)
    for command in [["chat"], ["models", "install", Fixtures.smallModel, "--name", "mine"]] {
      expect(try pet(command, ["PET_HOME": file], input: "hi\n"), 3, [file, "PET_HOME"])
    }
    chmod(home.path, 0o755)
    expect(
      try asNobody("echo hi | \"$0\" chat --profile watch"), 3, [home.path, "Permission denied; check the owner"])
  }

  @Test("a full disk is told, and the conversation before it is whole", .enabled(if: canMount))
  func fullDisk() throws {
    let script = """
      mount -t tmpfs -o size=64k,mode=700 none "$PET_HOME" || exit 99
      head -c 65536 /dev/zero >"$PET_HOME/filler" 2>/dev/null
      echo hi | "$0" chat --profile watch
      """
    let result = try PetBinary.run(
      executable: "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", script, PetBinary.path],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PET_HOME": home.path])
    expect(result, 3, [home.path, "space"])
  }

  private static let canMount: Bool = {
    let result = try? PetBinary.run(
      executable: "/usr/bin/unshare", ["-rm", "/bin/mount", "-t", "tmpfs", "none", "/tmp"],
      environment: ["PATH": "/usr/bin:/bin"])
    return result?.status == 0
  }()

  /// The fixture with keys before its own, as the format has them: a length and a name, a type, a value.
  private func model(with keys: [(name: String, value: UInt16)]) throws -> String {
    func bytes(_ value: some FixedWidthInteger) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
    func name(_ text: String) -> Data { bytes(UInt64(text.utf8.count)) + Data(text.utf8) }
    var added = Data()
    for key in keys { added += name(key.name) + bytes(UInt32(2)) + bytes(key.value) }
    // The data stays where it is aligned to: 32 bytes.
    let padding = (64 - (added.count + 21) % 32) % 32
    added += name("x") + bytes(UInt32(8)) + name(String(repeating: "y", count: padding))
    var file = try Data(contentsOf: URL(filePath: Fixtures.smallModel))
    let count = file[16..<24].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    file.replaceSubrange(16..<24, with: bytes(count + UInt64(keys.count) + 1))
    file.insert(contentsOf: added, at: 24)
    let path = home.path + "/model.gguf"
    try file.write(to: URL(filePath: path))
    return path
  }

  @Test("what would be refused at load is told before by show, fit and install, in the same words")
  func before() throws {
    let whole = try model(with: [("split.count", 1)])
    for command in [["show", whole], ["fit", whole], ["install", whole, "--name", "whole"]] {
      let result = try pet(["models"] + command)
      #expect(result.status == 0, "\(command): \(result)")
    }
    let shard = try model(with: [("split.no", 1), ("split.count", 3)])
    let why = "part 2 of 3 of a model in several files; join them"
    for command in [["show", shard], ["fit", shard], ["install", shard, "--name", "shard"]] {
      expect(try pet(["models"] + command), 3, [why, shard])
    }
    expect(try pet(["complete", "--model", shard, "--prompt", "x"]), 3, [why])
    expect(try pet(["chat", "--model", shard], input: ""), 3, [why])
    expect(try daemon(["--model", shard]), 3, [why])

    var file = try Data(contentsOf: URL(filePath: Fixtures.smallModel))
    let key = try #require(file.range(of: Data("tokenizer.ggml.tokens".utf8)))
    file.replaceSubrange(key, with: "tokenizer.ggml.tokenz".utf8)
    try file.write(to: URL(filePath: shard))
    for command in [["show", shard], ["fit", shard], ["install", shard, "--name", "mute"]] {
      expect(try pet(["models"] + command), 3, ["tokenizer.ggml.tokens is missing"])
    }
  }
}
