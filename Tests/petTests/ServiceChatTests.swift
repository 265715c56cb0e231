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
