// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetRuntime
import Testing

import pet

@Suite("pet doctor", .timeLimit(.minutes(10)))
struct DoctorTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func doctor(_ arguments: String..., environment: [String: String] = [:]) throws -> PetBinary.Result {
    try PetBinary.run(
      executable: PetBinary.path, ["doctor"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path].merging(environment) { $1 })
  }

  private func object(_ result: PetBinary.Result) throws -> [String: Any] {
    try #require(try result.json() as? [String: Any], "\(result)")
  }

  private var speedFile: String { home.path + "/models/.speed.json" }

  @Test(
    "what is measured, and what is left",
    arguments: [
      (true, "phone", false, true, SpeedDecision.kept), (true, "watch", false, false, .kept),
      (false, "phone", false, true, .measure),
      (false, "phone", false, false, .leave("the folder of the models cannot be written")),
      (false, "watch", false, true, .leave("profile watch")), (true, "phone", true, true, .measure),
      (false, "watch", true, true, .measure), (false, "phone", true, false, .measure),
    ])
  func decision(isKept: Bool, profile: String, isAsked: Bool, canBeKept: Bool, expected: SpeedDecision) throws {
    let decision = SpeedDecision.decide(
      isKept: isKept, profile: try #require(.init(rawValue: profile)), isAsked: isAsked, canBeKept: canBeKept)
    #expect(decision == expected)
  }

  @Test("the speed is measured once, kept, and measured again for other kernels or where that is asked for")
  func speed() throws {
    func source(_ arguments: String..., environment: [String: String] = [:]) throws -> String {
      let result = try PetBinary.run(
        executable: PetBinary.path, ["doctor", "--json"] + arguments,
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path].merging(environment) { $1 })
      return try #require((try object(result)["speed"] as? [String: Any])?["source"] as? String)
    }
    #expect(try source("--profile", "watch") == "none")
    #expect(!FileManager.default.fileExists(atPath: speedFile))
    #expect(try source() == "measured")
    let kept = try Data(contentsOf: URL(filePath: speedFile))
    #expect(try source() == "kept" && source("--profile", "watch") == "kept")
    #expect(try Data(contentsOf: URL(filePath: speedFile)) == kept)
    #expect(try source("--measure") == "measured")
    #expect(try source(environment: ["PET_KERNELS": "scalar"]) == "measured" || ProcessInfo.isScalar)
    try "broken".write(toFile: speedFile, atomically: true, encoding: .utf8)
    #expect(try source() == "measured" && source() == "kept")
    // Where it cannot be kept it is told all the same.
    try FileManager.default.removeItem(atPath: speedFile)
    try FileManager.default.createDirectory(atPath: speedFile, withIntermediateDirectories: false)
    let text = try doctor("--measure")
    #expect(text.status == 0 && text.output.contains("not kept"), "\(text)")
  }

  @Test("what was measured is told in words and in JSON, with what it means for each model")
  func figures() throws {
    let json = try object(try doctor("--json"))
    let speed = try #require(json["speed"] as? [String: Any])
    #expect(Set(speed.keys) == ["source", "figures", "path", "reason"])
    #expect(speed["path"] as? String == speedFile && speed["reason"] is NSNull)
    let figures = try #require(speed["figures"] as? [String: Any])
    func figure(_ name: String) throws -> Double { try #require(figures[name] as? Double) }
    let memory = try figure("memory_bytes_per_second")
    let one = try figure("products_per_second_one_token")
    let many = try figure("products_per_second_many_tokens")
    #expect((figures["measured_on"] as? [String: Any])?["threads"] as? Int ?? 0 >= 1)
    let models = try #require((json["models"] as? [String: Any])?["models"] as? [[String: Any]])
    func estimate(_ name: String) -> [String: Double]? {
      models.first { $0["name"] as? String == name }?["estimated_tokens_per_second"] as? [String: Double]
    }
    // From the catalog's own figures: 134515008 weights in 144811360 bytes.
    let pet = try #require(estimate("pet-135m"))
    let write = 1 / (144_811_360 / memory + 134_515_008 / one)
    #expect(abs((pet["write"] ?? 0) - write) < 0.01 && abs((pet["read"] ?? 0) - many / 134_515_008) < 0.01)
    #expect(estimate("pose") == nil && estimate("parent-stress") == nil)
    #expect((json["tier"] as? [String: String])?["basis"] == "measurement" && json["fixes"] is NSNull)
    let text = try doctor().output
    for part in ["speed  ", "GB of memory a second", "measured before", "estimated  ", "pet-135m: writes "] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    let watch = try TemporaryHome()
    let none = try PetBinary.run(["doctor", "--profile", "watch"], home: watch.path).output
    #expect(none.contains("not measured: profile watch; the tier follows from the instruction sets"), "\(none)")
    #expect(!none.contains("estimated"))
  }

  @Test("where nothing is wrong --fix says so; --yes alone makes no sense")
  func nothing() throws {
    try home.addStressWeights()
    let result = try doctor("--fix", "--profile", "watch")
    #expect(result.status == 0 && result.output.hasSuffix("\nnothing to mend\n"), "\(result)")
    #expect(try doctor("--yes").status == 2)
  }

  /// A socket whose maker has ended.
  private func leaveSocket() throws -> String {
    let path = home.path + "/petd.sock"
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
    return path
  }

  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func spoil() throws -> (socket: String, draft: String, token: String, models: String) {
    let (draft, token, models) = (home.path + "/.config.toml.new", home.path + "/petd.token", home.path + "/models")
    try FileManager.default.createDirectory(atPath: models + "/.staging/x", withIntermediateDirectories: true)
    try "half".write(toFile: draft, atomically: false, encoding: .utf8)
    try "secret\n".write(toFile: token, atomically: false, encoding: .utf8)
    try "mine".write(toFile: home.path + "/.other.new.txt", atomically: false, encoding: .utf8)
    chmod(token, 0o644)
    chmod(models, 0o777)
    return (try leaveSocket(), draft, token, models)
  }

  @Test("in a pipe --fix only lists; with --yes it mends, tells what it did, and leaves what is nobody's fault")
  func mends() throws {
    let spoiled = try spoil()
    let listed = try doctor("--fix", "--profile", "watch")
    #expect(listed.status == 0, "\(listed)")
    for part in [
      "petd.sock: a socket at which no petd listens: remove it", ".config.toml.new", "petd.token", "parent-stress",
      ".staging", "--yes mends",
    ] {
      #expect(listed.output.contains(part), "\(part) in \(listed.output)")
    }
    #expect(FileManager.default.fileExists(atPath: spoiled.socket))
    #expect(try mode(spoiled.token) == 0o644)

    let mended = try doctor("--fix", "--yes", "--profile", "watch")
    #expect(
      mended.status == 0
        && mended.output.contains("parent-stress is not here; the file is no part of this program: installed: "),
      "\(mended)")
    for path in [spoiled.socket, spoiled.draft, spoiled.models + "/.staging"] {
      #expect(!FileManager.default.fileExists(atPath: path), "\(path)")
    }
    #expect(try mode(spoiled.token) == 0o600 && mode(spoiled.models) == 0o755)
    #expect(FileManager.default.fileExists(atPath: home.path + "/.other.new.txt"))
    #expect(
      try PetBinary.run(["models", "verify", "parent-stress"], home: home.path).output == "parent-stress: sound\n")
    #expect(try doctor("--fix", "--profile", "watch").output.hasSuffix("\nnothing to mend\n"))
  }

  @Test("a file that has a second name elsewhere keeps its mode, and is told")
  func secondName() throws {
    try home.addStressWeights()
    let (elsewhere, pets) = (home.path + "/elsewhere", home.path + "/pets")
    try FileManager.default.createDirectory(atPath: pets, withIntermediateDirectories: true)
    chmod(pets, 0o700)
    try "mine".write(toFile: elsewhere, atomically: false, encoding: .utf8)
    chmod(elsewhere, 0o644)
    try FileManager.default.linkItem(atPath: elsewhere, toPath: pets + "/state.json")
    let result = try doctor("--fix", "--yes", "--profile", "watch")
    #expect(result.status == 3 && result.output.contains("not mended"), "\(result)")
    #expect(try mode(elsewhere) == 0o644)
  }

  @Test("a petd that lives keeps its socket, and a draft that is being written stays")
  func living() async throws {
    try home.addStressWeights()
    let path = try leaveSocket()
    unlink(path)
    let daemon = try await RunningDaemon(in: home)
    let draft = home.path + "/.config.toml.new"
    try "half".write(toFile: draft, atomically: false, encoding: .utf8)
    let file = open(draft, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
    let result = try doctor("--fix", "--yes", "--profile", "watch")
    #expect(result.status == 0 && result.output.hasSuffix("\nnothing to mend\n"), "\(result)")
    #expect(FileManager.default.fileExists(atPath: path) && FileManager.default.fileExists(atPath: draft))
    withExtendedLifetime(daemon) {}
  }

  @Test("what cannot be mended is told with the reason, in JSON too, and the exit code says so")
  func fails() throws {
    // Nothing that could fetch is there.
    let empty = ["PATH": home.path]
    let text = try doctor("--fix", "--yes", environment: empty)
    #expect(
      text.status == 3
        && text.output.contains("model pet-135m, which the settings mean, is not here: not mended: python3"), "\(text)")
    #expect(text.error.hasSuffix("1 of 2 could not be mended; each line above says why\n"), "\(text.error)")
    let json = try doctor("--fix", "--yes", "--json", environment: empty)
    let fixes = try #require(try object(json)["fixes"] as? [[String: String]])
    #expect(json.status == 3 && fixes.map { $0["outcome"] } == ["failed"], "\(fixes)")
    let listed = try object(try doctor("--fix", "--json"))["fixes"] as? [[String: String]]
    #expect(listed?.map { $0["outcome"] } == ["left"] && listed?.first?["detail"]?.hasPrefix("fetch it") == true)
  }

  @Test("a model that is named and missing is fetched, and fetched anew where it is damaged")
  func models() throws {
    try home.addStressWeights()
    let server = try HubServer(serving: Fixtures.smallModel)
    let settings = ["--set", "model=phi-3-mini-4k-instruct", "--fix", "--yes"]
    func run() throws -> PetBinary.Result {
      try PetBinary.run(
        executable: PetBinary.path, ["doctor"] + settings,
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "HF_ENDPOINT": server.address])
    }
    let fetched = try run()
    #expect(fetched.status == 0 && fetched.output.contains("is not here: fetched and checked: "), "\(fetched)")
    let file = home.path + "/models/phi-3-mini-4k-instruct/Phi-3-mini-4k-instruct-q4.gguf"
    try #require(truncate(file, 100) == 0)
    let repaired = try run()
    #expect(repaired.status == 0 && repaired.output.contains("is damaged: "), "\(repaired)")
    #expect(try PetBinary.run(["models", "verify", "phi-3-mini-4k-instruct"], home: home.path).status == 0)
  }

  @Test("at a terminal each is asked about", .enabled(if: PseudoTerminal.isAvailable))
  func asks() async throws {
    let spoiled = try spoil()
    let terminal = try PseudoTerminal()
    let process = try SpawnedProcess(
      PetBinary.path, ["doctor", "--fix", "--profile", "watch"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TERM": "xterm"],
      files: (terminal.line, terminal.line, terminal.line))
    var shown = try await terminal.wait(for: "parent-stress.gguf (yes, no)? ")
    terminal.type("no\n")
    shown += try await terminal.wait(for: "petd.sock: a socket at which no petd listens; remove it (yes, no)? ")
    #expect(shown.contains("left as it is"), "\(shown)")
    for _ in 0..<4 {
      terminal.type("yes\n")
      try await terminal.wait(for: "(yes, no)? ")
      if !FileManager.default.fileExists(atPath: spoiled.draft) { break }
    }
    terminal.type("\n")
    #expect(await process.waitBriefly() == 0)
    #expect(!FileManager.default.fileExists(atPath: spoiled.socket))
    #expect(try mode(spoiled.token) == 0o600)
    #expect(!FileManager.default.fileExists(atPath: home.path + "/models/parent-stress"))
    #expect(FileManager.default.fileExists(atPath: spoiled.models + "/.staging"), "an empty line is no consent")
  }
}

extension ProcessInfo {
  /// Whether the tests themselves are run with the scalar kernels.
  fileprivate static var isScalar: Bool { processInfo.environment["PET_KERNELS"] == "scalar" }
}
