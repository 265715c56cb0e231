// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import RawClient
import Testing

/// `pet` where a petd runs: the same commands, the same output.
@Suite("pet through petd")
struct ServiceChatTests {
  private func turns(_ output: String) throws -> [[String: Any]] {
    try output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test("a conversation is held with the pet that petd minds, in the same form; what it learns it knows in the next")
  func chat() async throws {
    let daemon = try await RunningDaemon(["--lease", "3600"])
    let first = try PetBinary.run(
      ["chat", "--json"], home: daemon.home.path, input: "My name is Ottoline.\nYour kettle has a lid of brass.\n")
    #expect(first.status == 0, "\(first.error)")
    let said = try turns(first.output)
    #expect(said.map { $0["source"] as? String } == ["rule", "model"], "\(first.output)")
    let home = try TemporaryHome()
    let alone = try PetBinary.run(
      ["chat", "--json", "--profile", "watch"], home: home.path, input: "hello there, you\n")
    #expect(try turns(alone.output).map { Set($0.keys) } == [Set(said[1].keys)])
    let next = try PetBinary.run(["chat", "--plain"], home: daemon.home.path, input: "what is my name?\n")
    #expect(next.output.contains("Ottoline") && next.output.hasPrefix("Mochi, "), "\(next.output)")
    #expect(daemon.log.contains("/pet/sessions/{session}/messages"))
    // Unless it is asked to be kept, a conversation is not.
    let folder = daemon.home.path + "/pets/mochi/conversations"
    #expect(((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty)
    for line in ["The kettle is here.", "The kettle is gone."] {
      let kept = try PetBinary.run(["chat", "--json", "--session", "tea"], home: daemon.home.path, input: line + "\n")
      #expect(kept.status == 0, "\(kept.error)")
    }
    #expect(try await daemon.get("/pet/sessions/mochi.tea").contains(#""turns":2"#))
  }

  @Test("a name that no conversation may have is refused in the same words, and none of another name is made of it")
  func names() async throws {
    let daemon = try await RunningDaemon()
    for name in ["tea?x", "my tea", "a/b"] {
      let call = ["chat", "--json", "--session", name]
      let there = try PetBinary.run(call, home: daemon.home.path, input: "hello\n")
      let here = try PetBinary.run(
        call + ["--no-service", "--profile", "watch"], home: daemon.home.path, input: "hello\n")
      #expect(there.status == 2 && here.status == 2, "\(name): \(there.status) \(here.status)")
      #expect(there.error == here.error && there.error.contains("a conversation's name"), "\(there.error)")
    }
    let folder = daemon.home.path + "/pets/mochi/conversations"
    #expect(!FileManager.default.fileExists(atPath: folder + "/tea.json"))
  }

  @Test("a text is continued as in one process, and what is wrong with it ends with the same status")
  func completes() async throws {
    let daemon = try await RunningDaemon()
    let call = [
      "complete", "--prompt", "Once upon a time", "--max-tokens", "12", "--seed", "7", "--temperature", "0.8",
    ]
    let here = try PetBinary.run(call + ["--no-service", "--profile", "watch"], home: daemon.home.path)
    #expect(!daemon.log.contains("/pet/completions"))
    let there = try PetBinary.run(call, home: daemon.home.path)
    #expect(
      there.status == 0 && there.output == here.output && daemon.log.contains("/pet/completions"), "\(there.error)")
    let json = try PetBinary.run(call + ["--json"], home: daemon.home.path)
    #expect(try json.json() is [String: Any])
    #expect(
      try PetBinary.run(["complete", "--prompt", "", "--no-service", "--profile", "watch"], home: daemon.home.path)
        .status == 3)
    #expect(try PetBinary.run(["complete", "--prompt", ""], home: daemon.home.path).status == 3)
    #expect(try PetBinary.run(["complete", "--prompt", "x", "--top-p", "7"], home: daemon.home.path).status == 2)
  }

  @Test("a socket that nobody answers at is passed over, unless it was named")
  func fallsBack() async throws {
    let daemon = try await RunningDaemon()
    let path = daemon.socket
    kill(daemon.process.pid, SIGKILL)
    _ = await daemon.process.waitBriefly()
    #expect(FileManager.default.fileExists(atPath: path))
    let call = ["complete", "--prompt", "Once", "--max-tokens", "2"]
    let named = try PetBinary.run(call + ["--socket", path], home: daemon.home.path)
    #expect(named.status == 3 && named.error.contains("no petd answers there"), "\(named.error)")
    #expect(try PetBinary.run(call + ["--socket", path, "--no-service"], home: daemon.home.path).status == 2)
    #expect(try PetBinary.run(call + ["--socket", path, "--threads", "1"], home: daemon.home.path).status == 2)
    let chat = try PetBinary.run(
      ["chat", "--json", "--model", Fixtures.smallModel, "--incognito"], home: daemon.home.path, input: "red\n")
    #expect(chat.status == 0, "\(chat.error)")
  }

  @Test(
    "petd that stops in the middle of a conversation ends it, with one line and no success",
    arguments: [SIGTERM, SIGKILL])
  func stops(signal: Int32) async throws {
    let daemon = try await RunningDaemon()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let folder = daemon.home.path
    let (output, error) = (
      open(folder + "/said", O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
      open(folder + "/told", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    )
    defer { for file in [ends[1], output, error] { close(file) } }
    let chat = try SpawnedProcess(
      PetBinary.path, ["chat", "--plain"], environment: ["PATH": "/usr/bin:/bin", "PET_HOME": folder],
      files: (ends[0], output, error))
    close(ends[0])
    func write(_ line: String) {
      _ = line.utf8.map { $0 }.withUnsafeBytes { Glibc.write(ends[1], $0.baseAddress, $0.count) }
    }
    func text(_ name: String) -> String { (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "" }
    write("/state\n")
    for _ in patience where !text("said").contains("Mochi") { try await Task.sleep(for: .milliseconds(10)) }
    kill(daemon.process.pid, signal)
    _ = await daemon.process.waitBriefly()
    write("/state\n/state\n")
    #expect(await chat.waitBriefly() == 3)
    #expect(text("told").hasPrefix("pet: ") && text("told").count { $0 == "\n" } == 1, "\(text("told"))")
    #expect(text("told").contains("petd"), "\(text("told"))")
  }

  /// `pet chat --json` on a pipe, and what it wrote so far.
  private final class PipedChat {
    let process: SpawnedProcess
    private let input: Int32
    private let folder: String

    init(_ arguments: [String], home: String) throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      folder = home
      let files = ["said", "told"].map { open("\(home)/\($0)", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
      defer { for file in files + [ends[0]] { Glibc.close(file) } }
      process = try SpawnedProcess(
        PetBinary.path, ["chat"] + arguments, environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home],
        files: (ends[0], files[0], files[1]))
      input = ends[1]
    }

    func write(_ line: String) {
      _ = Array("\(line)\n".utf8).withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
    }

    func close() { Glibc.close(input) }

    func text(_ name: String) -> String { (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "" }

    /// Until so many lines were written to standard output.
    func wait(forLines count: Int) async throws {
      func lines() -> Int { text("said").count { $0 == "\n" } }
      for _ in patience where lines() < count { try await Task.sleep(for: .milliseconds(10)) }
      try #require(lines() == count, "\(text("said"))\(text("told"))")
    }
  }

  @Test(
    "petd that is started anew in the middle of a piped conversation: the next line waits for it, what is lost is told, and the status too"
  )
  func restarts() async throws {
    var daemon = try await RunningDaemon()
    let chat = try PipedChat(["--json"], home: daemon.home.path)
    chat.write("My name is Ottoline.")
    try await chat.wait(forLines: 1)
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
    // Nobody listens meanwhile.
    chat.write("Your kettle has a lid of brass.")
    daemon = try await RunningDaemon(in: daemon.home)
    try await chat.wait(forLines: 2)
    chat.write("The lid is warm.")
    try await chat.wait(forLines: 3)
    chat.close()
    #expect(await chat.process.waitBriefly() == 3)
    let said = try turns(chat.text("said"))
    let notices = said.map { ($0["notices"] as? [[String: Any]] ?? []).map { $0["kind"] as? String } }
    #expect(notices == [[], ["not_kept"], []], "\(chat.text("said"))")
    let lost = (said[1]["notices"] as? [[String: Any]])?.first?["text"] as? String
    #expect(lost?.contains("what was said before this message; petd was started anew") == true)
  }

  @Test(
    "a line that petd had when it was killed is not asked twice: that it was not answered is told with its number, and the next one is answered"
  )
  func killedInAnAnswer() async throws {
    var daemon = try await RunningDaemon()
    let chat = try PipedChat(["--json"], home: daemon.home.path)
    chat.write("My name is Ottoline.")
    try await chat.wait(forLines: 1)
    // It takes the request, and never answers.
    kill(daemon.process.pid, SIGSTOP)
    chat.write("Your kettle has a lid of brass.")
    try await Task.sleep(for: .seconds(1))
    kill(daemon.process.pid, SIGKILL)
    _ = await daemon.process.waitBriefly()
    try await chat.wait(forLines: 2)
    daemon = try await RunningDaemon(in: daemon.home)
    chat.write("What is my name?")
    try await chat.wait(forLines: 3)
    chat.close()
    #expect(await chat.process.waitBriefly() == 3)
    let said = try turns(chat.text("said"))
    #expect((said[1]["error"] as? String)?.hasPrefix("line 2 was not answered to its end: petd went away") == true)
    #expect((said[2]["text"] as? String)?.contains("Ottoline") == true, "\(chat.text("said"))")
    #expect(chat.text("told").contains("pet: line 2 was not answered"), "\(chat.text("told"))")
  }

  @Test("where nobody comes back the lines that were not answered are told")
  func goesForGood() async throws {
    let daemon = try await RunningDaemon()
    let chat = try PipedChat(["--json"], home: daemon.home.path)
    chat.write("/state")
    try await chat.wait(forLines: 1)
    kill(daemon.process.pid, SIGKILL)
    _ = await daemon.process.waitBriefly()
    chat.write("Hello!")
    chat.write("Are you there?")
    #expect(await chat.process.waitBriefly() == 3)
    chat.close()
    #expect(chat.text("told").hasPrefix("pet: line 2 and those behind it were not answered: "), "\(chat.text("told"))")
    #expect(try turns(chat.text("said")).count == 2)
  }

  @Test("petd is asked where its profile is the one that is asked for; that it is not asked is told, and why")
  func profiles() async throws {
    let daemon = try await RunningDaemon()
    func run(_ command: [String], _ more: [String: String] = [:]) throws -> (result: PetBinary.Result, isAsked: Bool) {
      let before = daemon.log.components(separatedBy: "/pet/completions").count
      let result = try PetBinary.run(
        executable: PetBinary.path, command + ["--prompt", "Once", "--max-tokens", "2"],
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": daemon.home.path].merging(more) { $1 })
      return (result, daemon.log.components(separatedBy: "/pet/completions").count > before)
    }
    for (words, more) in [
      ([], ["PET_PROFILE": "watch"]), (["--profile", "watch"], [:]), ([], ["PET_CONTEXT": ""]),
      (["--profile", "watch"], ["PET_PROFILE": "phone"]),
    ] as [([String], [String: String])] {
      let (result, isAsked) = try run(["complete"] + words, more)
      #expect(result.status == 0 && !result.error.contains("petd") && isAsked, "\(words) \(more): \(result)")
    }
    for (words, more, why) in [
      ([], ["PET_PROFILE": "phone"], "it has the profile watch, and PET_PROFILE asks for phone"),
      (["--profile", "phone"], [:], "it has the profile watch, and --profile asks for phone"),
      ([], ["PET_THREADS": "1"], "because of PET_THREADS"),
      (["--model", Fixtures.smallModel, "--threads", "1"], [:], "because of --model, --threads"),
    ] as [([String], [String: String], String)] {
      let (result, isAsked) = try run(["complete"] + words, more)
      #expect(result.status == 0 && !isAsked, "\(words) \(more): \(result)")
      #expect(result.error.contains("(petd runs, and is not asked") && result.error.contains(why), "\(result)")
      let named = try run(["complete", "--socket", daemon.socket] + words, more).result
      #expect(named.status == 2, "\(named)")
      // Who wants that need not be told.
      let alone = try run(["complete", "--no-service"] + words, more)
      #expect(alone.result.status == 0 && !alone.isAsked && !alone.result.error.contains("petd"), "\(alone)")
    }
  }

  @Test("what was not measured is told as that, and is null in JSON")
  func notMeasured() async throws {
    let daemon = try await RunningDaemon()
    func chat(_ words: [String], _ input: String) throws -> PetBinary.Result {
      try PetBinary.run(["chat"] + words, home: daemon.home.path, input: input)
    }
    // What written words answer takes no model.
    let text = try chat([], "I want to kill myself\n/stats\n").output
    #expect(text.contains(/prompt +none: the last answer took no model\n/), "\(text)")
    #expect(text.contains(/kept model replies +\d+, none looked up yet\n/), "\(text)")
    let turn = try #require(try turns(chat(["--json"], "I want to kill myself\n").output).first)
    let timings = try #require(turn["timings"] as? [String: Any])
    #expect(
      Set(timings.keys) == ["ttft_ms", "prefill_tps", "decode_tps"] && timings.values.allSatisfy { $0 is NSNull })
    let top = try PetBinary.run(["top"], home: daemon.home.path)
    #expect(top.output.contains("nothing was computed yet") && !top.output.contains("≈ 0"), "\(top.output)")
    let figures = try #require(try PetBinary.run(["top", "--json"], home: daemon.home.path).json() as? [String: Any])
    #expect((figures["cache"] as? [String: Any])?["hit_rate"] is NSNull)
    #expect((figures["battery"] as? [String: Any])?.keys.contains("watts") == true)
  }

  @Test("top: how it fares, as lines and as JSON")
  func top() async throws {
    let daemon = try await RunningDaemon()
    #expect(try await daemon.post("/pet/completions", #"{"prompt": "Once", "max_tokens": 4}"#).contains("200 OK"))
    let top = try PetBinary.run(["top"], home: daemon.home.path)
    #expect(
      top.status == 0 && top.output.contains("pet-nano (low), ") && top.output.contains("tokens/s"), "\(top.error)")
    let json = try PetBinary.run(["top", "--json"], home: daemon.home.path).json() as? [String: Any]
    #expect((json?["model"] as? [String: Any])?["name"] as? String == "pet-nano")
    let none = try PetBinary.run(["top", "--socket", "/tmp/nobody.sock"], home: daemon.home.path)
    #expect(none.status == 3 && none.error.contains("no petd answers there"))
  }
}
