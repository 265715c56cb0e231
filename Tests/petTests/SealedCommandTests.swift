// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetEngine
import Testing

/// Commands that parse files of others: nobody to speak to, and no file but those that their arguments name.
@Suite("Commands that read files of others are sealed")
struct SealedCommandTests {
  private static let outlook = PrivacyOutlook.read()
  private static let oldKernel = URL(filePath: PetBinary.path).deletingLastPathComponent().appending(path: "OldKernel")
    .path
  private static let hasTrace = access("/usr/bin/strace", X_OK) == 0
  private static let examples = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Examples/classify").path

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func start(_ words: [String]) throws -> SpawnedProcess {
    let files = (
      open("/dev/null", O_RDONLY | O_CLOEXEC),
      open(home.path + "/out", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600),
      open(home.path + "/err", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    )
    defer { for file in [files.0, files.1, files.2] { close(file) } }
    return try SpawnedProcess(
      PetBinary.path, words, environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path + "/home"], files: files)
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOfFile: "\(home.path)/\(name)", encoding: .utf8)) ?? ""
  }

  /// A pipe that the program waits at: it has begun, and is held until something is written.
  private func gate() throws -> String {
    let path = home.path + "/gate"
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  /// For somebody to read there, who is held until something is written.
  private func wait(at gate: String) async throws -> Int32 {
    var writer: Int32 = -1
    for _ in patience where writer < 0 {
      writer = open(gate, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if writer < 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
    try #require(writer >= 0)
    return writer
  }

  private func pass(_ writer: Int32, _ text: String) {
    #expect(write(writer, text, text.utf8.count) == text.utf8.count)
    close(writer)
  }

  @Test("all threads of a command that computes are, and of one that only waits", .enabled(if: outlook.hasFilters))
  func threads() async throws {
    let gate = try gate()
    for words in [
      ["bench", "--profile", "watch", "-p", "64", "-n", "64", "-r", "1000"],
      ["complete", "--profile", "watch", "--no-service", "--prompt", "Once", "--grammar", gate],
    ] {
      let command = try start(words)
      let folder = "/proc/\(command.pid)"
      func status(_ place: String) -> String { (try? String(contentsOfFile: place + "/status", encoding: .utf8)) ?? "" }
      for _ in patience where !status(folder).contains("Seccomp:\t2") { try await Task.sleep(for: .milliseconds(5)) }
      for thread in try FileManager.default.contentsOfDirectory(atPath: folder + "/task") {
        let told = status("\(folder)/task/\(thread)")
        // One that has ended meanwhile says nothing.
        guard !told.isEmpty else { continue }
        #expect(told.contains("Seccomp:\t2") && told.contains("NoNewPrivs:\t1"), "\(words[0]): \(told)")
      }
      if words[0] == "complete" {
        // A pipe that was named at the start is read all the same.
        pass(try await wait(at: gate), "root ::= \"yes\"\n")
        #expect(await command.waitBriefly() == 0)
        #expect(text("out") == "yes\n", "\(text("err"))")
      } else {
        kill(command.pid, SIGKILL)
        #expect(await command.waitBriefly() == -SIGKILL)
      }
    }
  }

  @Test(
    "a file that comes to lie where the given one was is not opened", .enabled(if: outlook.landlockVersion > 0),
    arguments: [false, true])
  func exchanged(isUnsealed: Bool) async throws {
    let model = home.path + "/model.gguf"
    try FileManager.default.copyItem(atPath: Fixtures.smallModel, toPath: model)
    try FileManager.default.copyItem(atPath: Fixtures.smallModel, toPath: home.path + "/beside.gguf")
    let gate = try gate()
    let command = try start(
      ["bench", "-p", "8", "-n", "0", "-r", "1", "--model", model, "--compare", gate]
        + (isUnsealed ? ["--unsealed"] : []))
    // It reads the earlier report, before the model.
    let writer = try await wait(at: gate)
    #expect(rename(home.path + "/beside.gguf", model) == 0)
    pass(writer, #"{"model": "m", "kernels": "k", "rows": []}"#)
    #expect(await command.waitBriefly() == (isUnsealed ? 0 : 3))
    #expect(text("err").contains("model.gguf: cannot open: Permission denied") == !isUnsealed, "\(text("err"))")
  }

  @Test("a working folder full of files that ask to be read changes nothing")
  func hostileFolder() throws {
    let folder = home.path + "/hostile"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["config.toml", "catalog.json", "pet-nano", "pip.py", "libsqlite3.so.0", "model.gguf", ".local.json"] {
      try "threads = \"all\"\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let result = try PetBinary.run(
      executable: "/bin/sh",
      [
        "-c",
        #"cd "$1" && exec "$0" complete --profile watch --no-service --prompt Once --max-tokens 4 --temperature 0"#,
        PetBinary.path, folder,
      ], environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path + "/home"])
    #expect(result.status == 0 && !result.output.isEmpty, "\(result.error)")
    let usual = try PetBinary.run(
      [
        "complete", "--profile", "watch", "--no-service", "--prompt", "Once", "--max-tokens", "4", "--temperature", "0",
      ],
      home: home.path + "/home")
    #expect(usual.output == result.output)
  }

  @Test("files of a folder that are links elsewhere are read, as caches of models have them")
  func links() throws {
    let (folder, pictures) = (home.path + "/snapshot", home.path + "/pictures")
    let source = Fixtures.path("models/phi3-mha")
    for made in [folder, pictures] {
      try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: source) {
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "\(source)/\(name)")
    }
    let converted = try PetBinary.run(
      ["models", "convert", folder, "--output", home.path + "/made.gguf"], home: home.path + "/home")
    #expect(converted.status == 0, "\(converted.error)")
    try FileManager.default.createSymbolicLink(
      atPath: pictures + "/a.jpg", withDestinationPath: Self.examples + "/photo.jpg")
    let seen = try PetBinary.run(["classify", "pose", pictures, "--quality", "low"], home: home.path + "/home")
    #expect(seen.status == 0 && seen.output.contains("a.jpg"), "\(seen.error)")
  }

  @Test(
    "each picture is decoded by a process of its own, sealed before it begins",
    .enabled(if: hasTrace && outlook.hasFilters), arguments: [("pose", "photo.jpg"), ("affect", "talk.wav")])
  func decoders(kind: String, file: String) throws {
    func filters(_ count: Int) throws -> Int {
      let folder = "\(home.path)/\(kind)\(count)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for number in 0..<count {
        try FileManager.default.copyItem(atPath: "\(Self.examples)/\(file)", toPath: "\(folder)/\(number)\(file)")
      }
      let trace = "\(home.path)/trace\(count)"
      let result = try PetBinary.run(
        executable: "/usr/bin/strace",
        [
          "-f", "-qq", "-o", trace, "-e", "trace=seccomp", PetBinary.path, "classify", kind, folder, "--quality", "low",
        ], environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path + "/home"])
      #expect(result.status == 0, "\(result.error)")
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      return lines.count { $0.contains("SECCOMP_SET_MODE_FILTER") }
    }
    let one = try filters(1)
    #expect(one >= 2)
    #expect(try filters(3) == one + 2)
  }

  @Test("petd goes on without the process that decodes for it, and says so")
  func decoderGone() async throws {
    let daemon = try await RunningDaemon()
    func classify() throws -> String {
      let result = try PetBinary.run(
        executable: "/usr/bin/curl",
        [
          "-s", "-i", "--unix-socket", daemon.socket, "--data-binary", "@\(Self.examples)/photo.jpg",
          "http://pet/pet/classify/pose",
        ], environment: ["PATH": "/usr/bin:/bin"])
      return result.output
    }
    #expect(try classify().contains("200 OK"))
    let children = try String(
      contentsOfFile: "/proc/\(daemon.process.pid)/task/\(daemon.process.pid)/children", encoding: .utf8)
    let helpers = children.split(separator: " ").compactMap { pid_t($0) }
    #expect(helpers.count == 1)
    for helper in helpers { kill(helper, SIGKILL) }
    #expect(try !classify().contains("200 OK"))
    #expect(try await daemon.get("/health").contains("200 OK"))
  }

  @Test("petd can change no settings, tokens, models or keys of catalogs", .enabled(if: canInject))
  func daemonFiles() throws {
    let result = try PetBinary.run(
      executable: "/usr/bin/python3", ["-B", Fixtures.path("../Injection/settings.py"), PetBinary.path + "d"],
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(result.status == 0, "\(result.output) \(result.error)")
  }

  /// Only root may look into a program that may not be dumped.
  private static var canInject: Bool {
    #if arch(x86_64)
      outlook.hasFilters && outlook.landlockVersion > 0 && geteuid() == 0 && access("/usr/bin/python3", X_OK) == 0
    #else
      false
    #endif
  }

  @Test("where the kernel cannot, they run, and are refused where that is asked for", .enabled(if: outlook.hasFilters))
  func oldKernel() throws {
    func run(_ words: [String]) throws -> PetBinary.Result {
      try PetBinary.run(
        executable: Self.oldKernel, [PetBinary.path] + words,
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path + "/home"])
    }
    try home.addStressWeights(home: home.path + "/home")
    for words in [
      ["tokenize", "--profile", "watch", "Hello"], ["models", "show", Fixtures.smallModel],
      ["complete", "--profile", "watch", "--no-service", "--prompt", "Once", "--max-tokens", "2"],
      ["classify", "stress", Self.examples + "/moods.csv"],
      ["models", "quantize", Fixtures.smallModel, home.path + "/made.gguf", "--type", "Q8_0"],
    ] {
      let usual = try run(words)
      #expect(usual.status == 0 && !usual.output.isEmpty, "\(words): \(usual.error)")
      let refused = try run(words + ["--require-sealed"])
      #expect(refused.status == 3 && refused.output.isEmpty, "\(words): \(refused)")
      #expect(refused.error.contains("this process cannot be sealed"), "\(refused.error)")
    }
  }
}
