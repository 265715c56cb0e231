// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetEngine
import PlantedSocket
import Testing

/// Where the kernel has no filters these assert what is then promised: that it is said.
@Suite("Privacy of pet chat and petd")
struct PrivacyTests {
  private static let outlook = PrivacyOutlook.read()
  private static let oldKernel = URL(filePath: PetBinary.path).deletingLastPathComponent().appending(path: "OldKernel")
    .path
  /// Whether another filter can be laid before.
  private static var canPretend: Bool { outlook.hasFilters }

  private static func report(_ daemon: RunningDaemon) async throws -> [String: Any] {
    let answer = try await daemon.get("/pet/privacy")
    let body = try #require(answer.components(separatedBy: "\r\n\r\n").last)
    return try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
  }

  @Test("petd is sealed before it is ready: all of its threads, for good")
  func daemon() async throws {
    let daemon = try await RunningDaemon()
    let report = try await Self.report(daemon)
    #expect(report["badge"] as? String == "🔒 Processing Locally" && report["passing"] as? Bool == true)
    #expect(report["state"] as? String == Self.outlook.state.rawValue, "\(report)")
    _ = try await daemon.post(
      "/v1/chat/completions", #"{"messages": [{"role": "user", "content": "hello"}], "max_tokens": 8}"#)
    // What the kernel itself says of each thread, those that came later included.
    let tasks = "/proc/\(daemon.process.pid)/task"
    let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
    #expect(threads.count > 3)
    for thread in threads where Self.outlook.state == .enforced {
      let status = try String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
      #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "\(thread)")
    }
    // It says so before it says that it is ready.
    let (sealed, ready) = (
      daemon.log.range(of: "state=\(Self.outlook.state.rawValue)"), daemon.log.range(of: "] ready")
    )
    #expect(try #require(sealed).lowerBound < #require(ready).lowerBound)
    if Self.outlook.state == .enforced, Self.outlook.landlockVersion > 0 {
      #expect(report["compliance_level"] as? String == "full")
      let limits = try String(contentsOfFile: "/proc/\(daemon.process.pid)/limits", encoding: .utf8)
      #expect(limits.contains(#/Max core file size +0 +0/#))
    }
  }

  @Test("a TCP listener is opened before, and answers after")
  func loopback() async throws {
    let daemon = try await RunningDaemon(["--port", "0"])
    let report = try await Self.report(daemon)
    #expect(report["state"] as? String == Self.outlook.state.rawValue)
    #expect((report["detail"] as? String)?.contains("1 loopback") == true, "\(report)")
  }

  @Test("files outside its own cannot be named to a petd that runs", .enabled(if: outlook.landlockVersion > 0))
  func reload() async throws {
    let daemon = try await RunningDaemon()
    let elsewhere = try TemporaryHome()
    let model = elsewhere.path + "/model.gguf"
    try FileManager.default.copyItem(atPath: Fixtures.smallModel, toPath: model)
    try "model = \"\(model)\"\n".write(toFile: daemon.home.path + "/config.toml", atomically: true, encoding: .utf8)
    kill(daemon.process.pid, SIGHUP)
    try await daemon.wait(for: "not reloaded")
    #expect(daemon.log.contains("it gave up all others"), "\(daemon.log)")
    // One that it was started with is no other.
    let named = try await RunningDaemon(["--model", model])
    #expect(try await named.post("/v1/completions", #"{"prompt": "a", "max_tokens": 4}"#).hasPrefix("HTTP/1.1 200"))
  }

  @Test(
    "a socket of any kind that was open before turns the badge, sealed or not", arguments: PlantedSocket.allCases,
    ["", "--unsealed"])
  func planted(kind: PlantedSocket, flag: String) async throws {
    guard let socket = kind.open() else { return }
    defer { close(socket) }
    let daemon = try await RunningDaemon(flag.isEmpty ? [] : [flag], input: socket)
    let report = try await Self.report(daemon)
    #expect(report["state"] as? String == "failed" && report["badge"] as? String == "⚠️ Privacy Check Failed")
    #expect(report["passing"] as? Bool == false && report["compliance_level"] as? String == "none")
    #expect((report["violations"] as? [String])?.count == 1, "\(report)")
    let figures = try await daemon.get("/pet/figures")
    #expect(figures.contains("⚠️ Privacy Check Failed") && figures.contains(#""kind":"privacy""#))
    let top = try PetBinary.run(["top", "--once", "--socket", daemon.socket], home: daemon.home.path)
    #expect(top.output.contains("⚠️ Privacy Check Failed (failed)"), "\(top.output)")
  }

  @Test("what was open when a program was started is closed, but what its words name", arguments: [false, true])
  func inherited(isNamed: Bool) async throws {
    let home = try TemporaryHome()
    let (outside, persona) = (home.path + "/outside", home.path + "/persona")
    try "A kettle.".write(toFile: persona, atomically: true, encoding: .utf8)
    let named = isNamed ? " --persona /dev/fd/8" : ""
    var (lines, replies): ([Int32], [Int32]) = ([0, 0], [0, 0])
    try #require(pipe(&lines) == 0 && pipe(&replies) == 0)
    // Other tests start programs too: an end that those hold would stay open.
    for end in lines + replies { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { for end in [lines[0], replies[0], replies[1]] { close(end) } }
    let chat = try SpawnedProcess(
      "/bin/sh",
      [
        "-c",
        #"exec 7>'\#(outside)' 8<'\#(persona)'; exec "$0" chat --profile watch --no-service --incognito --max-tokens 4\#(named)"#,
        PetBinary.path,
      ], environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path], files: (lines[0], replies[1], STDERR_FILENO))
    #expect(write(lines[1], "hello\n", 6) == 6)
    // It has answered: it is sealed, and waits for the next line.
    var answer = pollfd(fd: replies[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&answer, 1, 30_000) == 1)
    let folder = "/proc/\(chat.pid)/fd"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    #expect(!files.isEmpty && !files.contains(outside) && files.contains(persona) == isNamed, "\(files)")
    close(lines[1])
    #expect(await chat.waitBriefly() == 0)
  }

  @Test("every call of an attacker in the sealed program is refused, or reaches nothing", .enabled(if: canInject))
  func injection() throws {
    for words in [["--few"], ["--few", "--service"], ["--unsealed"]] {
      let result = try PetBinary.run(
        executable: "/usr/bin/python3", [Fixtures.path("../Injection/inject.py"), PetBinary.path] + words,
        environment: ["PATH": "/usr/bin:/bin"])
      #expect(result.status == 0, "\(words): \(result.output) \(result.error)")
    }
  }

  /// Only root may look into a program that may not be dumped.
  private static var canInject: Bool {
    #if arch(x86_64)
      outlook.hasFilters && geteuid() == 0 && access("/usr/bin/python3", X_OK) == 0
    #else
      false
    #endif
  }

  @Test("unsealed it is observed, and says that nothing keeps it")
  func unsealed() async throws {
    let daemon = try await RunningDaemon(["--unsealed"])
    let report = try await Self.report(daemon)
    #expect(report["state"] as? String == "observed" && report["compliance_level"] as? String == "partial")
    #expect(report["badge"] as? String == "🔒 Processing Locally")
    #expect((report["detail"] as? String)?.contains("nothing keeps one from it") == true)
  }

  @Test(
    "where the kernel cannot, it is observed and said, or refused where that is asked for", .enabled(if: canPretend))
  func oldKernel() async throws {
    let daemon = try await RunningDaemon(wrapper: [Self.oldKernel])
    let report = try await Self.report(daemon)
    #expect(report["state"] as? String == "observed", "\(report)")
    #expect((report["detail"] as? String)?.contains("the kernel takes no filter") == true, "\(report)")
    #expect(try await daemon.post("/v1/completions", #"{"prompt": "a", "max_tokens": 2}"#).hasPrefix("HTTP/1.1 200"))

    let home = try TemporaryHome()
    func run(_ words: [String]) throws -> PetBinary.Result {
      try PetBinary.run(
        executable: Self.oldKernel, words, environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path],
        input: "hello\n")
    }
    let chat = [PetBinary.path, "chat", "--profile", "watch", "--incognito", "--no-service"]
    let usual = try run(chat)
    #expect(usual.status == 0 && !usual.output.isEmpty && usual.complaints.isEmpty, "\(usual.error)")
    for refused in [
      try run(chat + ["--require-sealed"]), try run([PetBinary.path + "d", "--profile", "watch", "--require-sealed"]),
    ] {
      #expect(refused.status == 3 && refused.output.isEmpty, "\(refused)")
      #expect(refused.error.contains("this process cannot be sealed: the kernel takes no filter"), "\(refused.error)")
      #expect(refused.error.contains("Linux 5.13"))
    }
    let proof = try run([PetBinary.path, "privacy", "--json"])
    let object = try #require(try proof.json() as? [String: Any])
    #expect(proof.status == 0 && object["state"] as? String == "observed", "\(proof.output)")
    #expect(try run([PetBinary.path, "privacy", "--require-sealed"]).status == 3)
  }

  @Test("pet chat says in /privacy what holds, in this process and in petd's")
  func chat() async throws {
    guard PseudoTerminal.isAvailable else { return }
    let home = try TemporaryHome()
    let daemon = try await RunningDaemon()
    for (words, expected) in [
      (["--no-service"], ["privacy", "(\(Self.outlook.state.rawValue))"]),
      (["--no-service", "--unsealed"], ["(observed)"]),
      (["--socket", daemon.socket], ["(\(Self.outlook.state.rawValue))", "this program"]),
    ] {
      let terminal = try PseudoTerminal()
      let local = words.contains("--no-service") ? ["--profile", "watch", "--incognito"] : []
      let chat = try SpawnedProcess(
        PetBinary.path, ["chat", "--plain"] + local + words,
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TERM": "xterm", "LANG": "C.UTF-8"],
        files: (terminal.line, terminal.line, terminal.line))
      try await terminal.wait(for: "> ")
      terminal.type("/privacy\r")
      let shown = try await terminal.wait(for: "erases all of this")
      #expect(expected.allSatisfy { shown.contains($0) }, "\(shown)")
      terminal.type("/quit\r")
      #expect(await chat.waitBriefly() == 0)
    }
  }

  @Test("pet privacy shows what the kernel did, and doctor what to expect")
  func proof() throws {
    let home = try TemporaryHome()
    let result = try PetBinary.run(["privacy", "--json"], home: home.path)
    let object = try #require(try result.json() as? [String: Any])
    #expect(result.status == 0 && object["state"] as? String == Self.outlook.state.rawValue, "\(result.output)")
    let attempts = try #require(object["attempts"] as? [[String: String]])
    #expect(attempts.count == SandboxAttempt.all.count && !attempts.contains { $0["verdict"] == "broken" })
    let names = attempts.compactMap { $0["name"] }
    for name in [
      "tcp", "udp", "dns", "raw", "netlink", "packet", "io-uring-setup", "exec", "ptrace", "read", "write", "core",
    ] {
      #expect(names.contains(name))
    }
    let text = try PetBinary.run(["privacy"], home: home.path)
    #expect(text.output.contains("a TCP connection") && text.output.contains("none runs"), "\(text.output)")
    let doctor = try PetBinary.run(["doctor"], home: home.path)
    #expect(doctor.output.contains("\(Self.outlook.state.rawValue) in pet chat and petd"), "\(doctor.output)")
    let facts = try #require(try PetBinary.run(["doctor", "--json"], home: home.path).json() as? [String: Any])
    #expect((facts["privacy"] as? [String: Any])?["state"] as? String == Self.outlook.state.rawValue)
    #expect(["rapl", "power_supply", "unavailable"].contains(facts["energy"] as? String))
  }

  @Test("nothing it was given to hold is left out of what may be touched: keys, personas, settings, models elsewhere")
  func files() throws {
    let elsewhere = try TemporaryHome()
    let path = elsewhere.path
    try FileManager.default.copyItem(atPath: Fixtures.smallModel, toPath: path + "/model.gguf")
    try "A kettle.".write(toFile: path + "/kettle.txt", atomically: true, encoding: .utf8)
    try "context = 512\n".write(toFile: path + "/settings.toml", atomically: true, encoding: .utf8)
    for words in [
      ["--model", path + "/model.gguf"], ["--persona", path + "/kettle.txt"], ["--config", path + "/settings.toml"],
      ["--key-file", path + "/key"], ["--key-file", path + "/key"], ["--session", "tea"],
    ] {
      let home = try TemporaryHome()
      let result = try PetBinary.run(
        ["chat", "--profile", "watch", "--no-service", "--max-tokens", "8"] + words, home: home.path, input: "hello\n")
      #expect(result.status == 0 && !result.output.isEmpty, "\(words): \(result.error)")
    }
    // A file's name need have no dot and no slash.
    try "A kettle.".write(toFile: path + "/kettle", atomically: true, encoding: .utf8)
    let home = try TemporaryHome()
    let named = try PetBinary.run(
      executable: "/bin/sh",
      [
        "-c", #"cd '\#(path)' && exec "$0" "$@""#, PetBinary.path, "chat", "--profile", "watch", "--no-service",
        "--max-tokens", "8", "--persona", "kettle",
      ], environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path], input: "hello\n")
    #expect(named.status == 0 && !named.output.isEmpty, "\(named.error)")
  }
}
