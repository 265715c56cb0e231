// SPDX-License-Identifier: Apache-2.0
import CInstrumentation
import Foundation
import Glibc
import Testing

/// Commands that change the models of a home, and what happens when they are cut short.
@Suite("pet models: changes and faults")
struct ModelStoreCommandTests {
  private static let phi = "phi-3-mini-4k-instruct"
  /// curl, and the room that is asked for before a byte is fetched.
  private static let canFetch = access("/usr/bin/curl", X_OK) == 0 && freeBytes > 3_000_000_000
  private static let freeBytes: Int64 = {
    let facts = try? FileManager.default.attributesOfFileSystem(forPath: FileManager.default.temporaryDirectory.path)
    return (facts?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
  }()

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private var store: String { home.path + "/models" }

  private func pet(_ arguments: [String], _ more: [String: String] = [:]) throws -> PetBinary.Result {
    let environment = ["PATH": "/usr/bin:/bin", "PET_HOME": home.path].merging(more) { $1 }
    return try PetBinary.run(executable: PetBinary.path, arguments, environment: environment)
  }

  /// What a command says that fails: one line.
  private func expectRefusal(_ result: PetBinary.Result, status: Int32 = 3, contains text: String) {
    #expect(result.status == status, "\(result.error)")
    #expect(result.error.filter { $0 == "\n" }.count == 1 && result.error.contains(text), "\(result.error)")
  }

  private func state(_ name: String) throws -> String? {
    let shown = try pet(["models", "show", name, "--json"])
    return (try shown.json() as? [String: Any])?["state"] as? String
  }

  @Test(
    "a pull that is killed with its download half-way is taken up by the next, which pins the hash and says so",
    .enabled(if: canFetch))
  func killed() throws {
    let server = try HubServer(serving: Fixtures.smallModel)
    try server.behave("slow=400")
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nowhere) }
    let process = try SpawnedProcess(
      PetBinary.path, ["models", "pull", Self.phi],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "HF_ENDPOINT": server.address],
      files: (nowhere, nowhere, nowhere))
    let part = store + "/.downloads/\(Self.phi)/part"
    var here: Int64 = 0
    for _ in 0..<3000 where here < 100_000 {
      usleep(10_000)
      var status = stat()
      if stat(part, &status) == 0 { here = Int64(status.st_size) }
    }
    kill(process.pid, SIGKILL)
    #expect(process.wait() == -SIGKILL)
    #expect(try state(Self.phi) == "absent")
    #expect(access(store + "/\(Self.phi)", F_OK) != 0)

    try server.behave("")
    let hub = ["HF_ENDPOINT": server.address]
    let second = try pet(["models", "pull", Self.phi, "--json"], hub)
    #expect(second.status == 0, "\(second.error)")
    let report = try #require(try second.json() as? [String: Any])
    let hash = try #require(report["pinned_sha256"] as? String)
    #expect(second.error.contains(hash) && second.error.filter { $0 == "\n" }.count == 1, "\(second.error)")
    let last = try #require(server.log.last)
    #expect(server.log.count == 2 && last.hasPrefix("GET bytes=") && last.hasSuffix("206"), "\(server.log)")
    #expect(try pet(["models", "verify", Self.phi]).status == 0)
    let path = try #require(report["path"] as? String)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: Fixtures.smallModel)))
    let answer = try pet(["complete", "--model", Self.phi, "--prompt", "hello", "--max-tokens", "4"])
    #expect(answer.status == 0)

    // A flipped bit is found, and only what is damaged is fetched again.
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: 100_000)
    try file.write(contentsOf: Data([0xFF, 0x00, 0xFF]))
    try file.close()
    expectRefusal(try pet(["models", "verify", Self.phi]), contains: "pet models repair \(Self.phi)")
    let repaired = try pet(["models", "repair", "--json"], hub)
    #expect(repaired.status == 0, "\(repaired.error)")
    let outcomes = try #require(try repaired.json() as? [[String: Any]])
    #expect(outcomes.map { $0["outcome"] as? String } == ["repaired"])
    let again = try pet(["models", "repair", Self.phi, "pet-nano"], hub)
    #expect(again.output == "\(Self.phi): sound\npet-nano: sound\n")

    // Another file in its place is refused, with what it was before.
    try FileManager.default.removeItem(atPath: store + "/\(Self.phi)")
    let served = server.home.path + "/files/microsoft/Phi-3-mini-4k-instruct-gguf/Phi-3-mini-4k-instruct-q4.gguf"
    try FileManager.default.removeItem(atPath: served)
    try FileManager.default.copyItem(atPath: Fixtures.path("models/phi3-tied/model.gguf"), toPath: served)
    expectRefusal(try pet(["models", "pull", Self.phi], hub), contains: "when it was first fetched; if its maker")
    #expect(try state(Self.phi) == "absent")
  }

  @Test("a pull ends, and well, where whoever started it ignores how children end", .enabled(if: canFetch))
  func ignoredChildren() throws {
    let server = try HubServer(serving: Fixtures.smallModel)
    let pulled = try PetBinary.run(
      executable: "/usr/bin/env", ["--ignore-signal=CHLD", PetBinary.path, "models", "pull", Self.phi],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "HF_ENDPOINT": server.address])
    #expect(pulled.status == 0, "\(pulled.error)")
    #expect(try pet(["models", "verify", Self.phi]).status == 0)
  }

  @Test("what comes and is no model is refused and pins nothing", .enabled(if: canFetch))
  func noModel() throws {
    let server = try HubServer(serving: Fixtures.path("text/essay.txt"))
    expectRefusal(try pet(["models", "pull", Self.phi], ["HF_ENDPOINT": server.address]), contains: "not a GGUF file")
    #expect(access(store + "/.local.json", F_OK) != 0)
    #expect(try state(Self.phi) == "absent")
  }

  @Test(
    "a write that fails half-way is one line, and the next pull goes on", .enabled(if: canFetch),
    .disabled(if: is_sanitized(), "sanitizers do not start under a limit on the size of files"))
  func writeFails() throws {
    let server = try HubServer(serving: Fixtures.smallModel)
    // A limit on file sizes fails the write as a full disk would: 200 blocks of 512 bytes.
    let limited = try PetBinary.run(
      executable: "/bin/sh", ["-c", "ulimit -f 200; exec \"$0\" models pull \(Self.phi)", PetBinary.path],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "HF_ENDPOINT": server.address])
    expectRefusal(limited, contains: "File too large")
    #expect(try state(Self.phi) == "absent")
    #expect(try pet(["models", "pull", Self.phi], ["HF_ENDPOINT": server.address]).status == 0)
    #expect(server.log.last == "GET bytes=102400- 206")
  }

  @Test(
    "an install that cannot write leaves nothing",
    .disabled(if: is_sanitized(), "sanitizers do not start under a limit on the size of files"))
  func installFails() throws {
    let limited = try PetBinary.run(
      executable: "/bin/sh",
      ["-c", "ulimit -f 200; exec \"$0\" models install \"$1\" --name mine", PetBinary.path, Fixtures.smallModel],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
    expectRefusal(limited, contains: "File too large")
    #expect(try FileManager.default.contentsOfDirectory(atPath: store) == [".lock"])
  }

  @Test("a full disk is one line and leaves nothing", .enabled(if: canMount))
  func fullDisk() throws {
    let script = """
      mount -t tmpfs -o size=200k none "$PET_HOME" || exit 99
      "$0" models install "$1" --name mine; echo "status $?"
      "$0" models install "$1" --name mine --link; echo "status $?"
      find "$PET_HOME" -type f
      """
    let result = try PetBinary.run(
      executable: "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", script, PetBinary.path, Fixtures.smallModel],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PET_HOME": home.path])
    let lines = result.error.split(separator: "\n")
    #expect(lines.count == 2, "\(result)")
    #expect(lines[0].contains("bytes are needed and") && lines[1].contains("leave out --link"), "\(result)")
    #expect(result.output == "status 3\nstatus 3\n\(store)/.lock\n", "\(result)")
  }

  private static let canMount: Bool = {
    let result = try? PetBinary.run(
      executable: "/usr/bin/unshare", ["-rm", "/bin/mount", "-t", "tmpfs", "none", "/tmp"],
      environment: ["PATH": "/usr/bin:/bin"])
    return result?.status == 0
  }()

  @Test("a GGUF file of one's own: installed, used, listed, damaged, removed")
  func own() throws {
    let installed = try pet(["models", "install", Fixtures.smallModel, "--name", "mine", "--json"])
    #expect(installed.status == 0, "\(installed.error)")
    let path = try #require((try installed.json() as? [String: Any])?["path"] as? String)
    #expect(try pet(["complete", "--model", "mine", "--prompt", "hello", "--max-tokens", "4"]).status == 0)
    #expect(try pet(["models", "list"]).output.contains(/mine +high +here +280 kB +your own/))
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: 100_000)
    try file.write(contentsOf: Data([0xFF, 0x00, 0xFF]))
    try file.close()
    expectRefusal(try pet(["models", "verify", "mine"]), contains: "damaged")
    expectRefusal(try pet(["models", "repair", "mine"]), contains: "pet models install FILE --name mine --replace")
    #expect(try pet(["models", "remove", "mine"]).output == "mine: removed, 280 kB are free\n")
    expectRefusal(try pet(["models", "show", "mine"]), contains: "unknown")
    expectRefusal(try pet(["models", "remove", "pet-nano"]), contains: "part of this program")
    expectRefusal(
      try pet(["models", "install", Fixtures.path("text/essay.txt"), "--name", "mine"]), contains: "not a GGUF file")
    expectRefusal(
      try pet(["models", "install", Fixtures.smallModel, "--name", "pet-135m-q5"]), contains: "taken by this program")
  }

  @Test("tiers of one's own model: made, measured, shown, made again where a file is gone")
  func tiers() throws {
    #expect(try pet(["models", "install", Fixtures.smallModel, "--name", "mine"]).status == 0)
    let command = ["models", "tiers", "mine", "--make", "--medium", "Q8_0", "--low", "Q4_0", "--ctx", "256", "--json"]
    let made = try pet(command)
    #expect(made.status == 0, "\(made.error)")
    let reports = try #require(try made.json() as? [[String: Any]])
    #expect(reports.map { $0["tier"] as? String } == ["high", "medium", "low"])
    #expect(reports.map { $0["name"] as? String } == ["mine", "mine-medium", "mine-low"])
    let sizes = reports.compactMap { $0["bytes"] as? Int }
    #expect(sizes.count == 3 && sizes[0] > sizes[1] && sizes[1] > sizes[2], "\(sizes)")
    // As `pet perplexity` has it.
    let essay = Fixtures.path("text/essay.txt")
    let alone = try pet(["perplexity", essay, "--model", "mine-low", "--ctx", "256", "--json"])
    let measured = try #require(reports[2]["measurement"] as? [String: Any])
    let expected = try #require((try alone.json() as? [String: Any])?["perplexity"] as? Double)
    #expect(abs(try #require(measured["perplexity"] as? Double) - expected) < 1e-6 * expected)
    #expect(try pet(["models", "show", "mine-low"]).output.contains(/made here of mine, in Q4_0/))
    #expect(try pet(["models", "show", "mine-low"]).output.contains(/measured +perplexity \d+/))
    #expect(try pet(["models", "list"]).output.contains(/mine-low +low +here/))
    #expect(try pet(["complete", "--model", "mine-low", "--prompt", "hello", "--max-tokens", "4"]).status == 0)

    try FileManager.default.removeItem(atPath: store + "/mine-low")
    expectRefusal(try pet(["models", "repair", "mine-low"]), contains: "pet models tiers mine")
    #expect(try pet(["models", "tiers", "mine", "--make", "--ctx", "256"]).status == 0)
    #expect(try pet(["models", "verify", "mine-low"]).status == 0)
    // As long as before, and damaged.
    let path = try #require(
      (try pet(["models", "show", "mine-low", "--json"]).json() as? [String: Any])?["path"] as? String)
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: 60_000)
    try file.write(contentsOf: Data([0xFF, 0x00, 0xFF]))
    try file.close()
    expectRefusal(try pet(["models", "verify", "mine-low"]), contains: "damaged")
    #expect(try pet(["models", "tiers", "mine", "--make", "--ctx", "256"]).status == 0)
    #expect(try pet(["models", "verify", "mine-low"]).status == 0)
    expectRefusal(try pet(["models", "tiers", "mine", "--make", "--low", "F32"]), contains: "give a smaller type")
    expectRefusal(try pet(["models", "tiers", "pet-nano", "--make", "--low", "Q4_0"]), contains: "by the catalog")
  }

  @Test("tiers only looks unless it is told to make them: nothing is fetched, and what brings a tier is told")
  func tiersAreLookedAt() throws {
    // Whoever is asked for a download leaves a mark.
    let tools = home.path + "/tools"
    try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    for name in ["python3", "curl"] {
      try PetBinary.writeProgram("echo x >'\(home.path)/asked'\nexit 1\n", to: "\(tools)/\(name)")
    }
    func run(_ arguments: [String]) throws -> PetBinary.Result {
      try PetBinary.run(arguments, home: home.path, path: "\(tools):/usr/bin:/bin")
    }
    for arguments in [
      ["models", "tiers"], ["models", "list"], ["models", "show"], ["models", "fit"], ["models", "verify"], ["doctor"],
    ] {
      let result = try run(arguments)
      #expect(result.status == 0 && !result.output.isEmpty, "\(arguments): \(result)")
    }
    #expect(!FileManager.default.fileExists(atPath: home.path + "/asked"))
    let table = try run(["models", "tiers"]).output
    #expect(table.contains(/high +pet-135m +absent +145 MB +- +- +run: pet models pull pet-135m\n/), "\(table)")
    #expect(table.contains(/low +pet-nano +here +11\.3 MB/), "\(table)")
    #expect(try run(["models", "tiers", "--make"]).status == 3)
    #expect(FileManager.default.fileExists(atPath: home.path + "/asked"))

    #expect(try run(["models", "install", Fixtures.smallModel, "--name", "mine"]).status == 0)
    let rows = try #require(try run(["models", "tiers", "mine", "--json"]).json() as? [[String: Any]])
    #expect(rows.map { $0["state"] as? String } == ["present", "absent", "absent"])
    let command = "pet models tiers mine --make"
    #expect(rows.map { $0["command"] as? String } == [nil, command, command])
    #expect(rows.allSatisfy { $0["measurement"] is NSNull })
    let refused = try run(["models", "tiers", "mine", "--low", "Q4_0"])
    #expect(refused.status == 2 && refused.error.contains("give --make too"), "\(refused)")
  }

  @Test("keys and catalogs, from making a key to the model in the list")
  func trust() throws {
    let catalog = home.path + "/acme.json"
    let text = """
      {"version": 2, "publication": {"name": "acme", "serial": 1}, "models": [
        {"name": "acme-1", "kind": "language", "architecture": "llama", "parameters": 1, "description": "Acme's own",
         "licence": "MIT", "context": 16,
         "requirements": {"minimum_memory_mb": 1, "int8_hardware": "optional", "recommended_quality": "low"},
         "files": {"low": {"name": "a.gguf", "bytes": 1, "sha256": "\(String(repeating: "0", count: 64))",
           "source": {"type": "huggingface", "repo": "a/b", "revision": "main", "file": "a.gguf"}}}}]}
      """
    try text.write(toFile: catalog, atomically: true, encoding: .utf8)
    let made = try pet(["models", "keygen", home.path + "/key", "--json"])
    let id = try #require((try made.json() as? [String: String])?["id"])
    #expect(try pet(["models", "sign", catalog, "--key", home.path + "/key"]).status == 0)
    expectRefusal(try pet(["models", "update", catalog]), contains: id)
    #expect(try pet(["models", "trust", "list"]).output.contains("no key is trusted"))
    #expect(try pet(["models", "trust", "add", home.path + "/key.pub"]).status == 0)
    let updated = try pet(["models", "update", catalog, "--json"])
    #expect((try updated.json() as? [String: Any])?["models"] as? [String] == ["acme-1"], "\(updated.error)")
    #expect(try pet(["models", "list"]).output.contains(/acme-1 +low +absent +1 B +Acme's own \(acme\)/))
    let keys = try #require(try pet(["models", "trust", "list", "--json"]).json() as? [[String: String]])
    #expect(keys.map { $0["id"] } == [id])
    #expect(try pet(["models", "trust", "remove", String(id.prefix(8))]).status == 0)
    let list = try pet(["models", "list"])
    #expect(list.status == 0 && !list.output.contains("acme-1"))
    #expect(list.error.contains("left out") && list.error.contains("which you have not added"))
  }

  @Test("fit holds a model against memory.budget, wherever that is set, as chat does")
  func fitWithinBudget() throws {
    let settings = home.path + "/config.toml"
    func both(_ words: [String] = []) throws -> (fit: PetBinary.Result, chat: PetBinary.Result) {
      (
        try pet(["models", "fit", "pet-nano"] + words),
        try PetBinary.run(
          ["chat", "--incognito", "--model-only", "--model", "pet-nano", "--max-tokens", "1"] + words, home: home.path,
          input: "A kettle.\n")
      )
    }
    let usual = try both()
    #expect(usual.fit.status == 0 && usual.chat.status == 0, "\(usual)")
    try "[memory]\nbudget = \"5 MB\"\n".write(toFile: settings, atomically: true, encoding: .utf8)
    let small = try both()
    #expect(small.fit.status == 4 && small.chat.status == 4, "\(small)")
    #expect(small.fit.error.contains("memory.budget is 5.0 MB; raise it"), "\(small.fit)")
    #expect(small.fit.output.contains("config.toml:2:10") && small.fit.output.contains(/fits +no/), "\(small.fit)")
    let raised = try both(["--set", "memory.budget=400MB"])
    #expect(raised.fit.status == 0 && raised.chat.status == 0, "\(raised)")
    let json = try #require((try pet(["models", "fit", "pet-nano", "--json"]).json() as? [[String: Any]])?.first)
    #expect(json["budget"] as? Int == 5_000_000 && json["available"] as? Int == 5_000_000)
    #expect(json["fits"] as? Bool == false && json["needed"] as? Int ?? 0 > 5_000_000)
    #expect(try pet(["models", "fit"]).output.contains(/pet-nano +\d+\.\d MB +no/))
  }

  @Test(
    "fit: never much less than what bench measures, and about as much",
    .disabled(if: is_sanitized(), "sanitizers take memory of their own"))
  func fit() throws {
    let options = ["--threads", "1", "--context", "512", "--json"]
    let fit = try pet(["models", "fit", "pet-nano"] + options)
    #expect(fit.status == 0, "\(fit.error)")
    let estimate = try #require((try fit.json() as? [[String: Any]])?.first)
    let total = try #require(estimate["total"] as? Double)
    let bench = try pet(["bench", "--model", "pet-nano", "-p", "504", "-n", "8", "-r", "1"] + options)
    #expect(bench.status == 0, "\(bench.error)")
    let peak = try #require((try bench.json() as? [String: Any])?["peak_rss_mb"] as? Double) * 1e6
    // Systems take back pages that rest: less may be resident than there is.
    #expect(peak - total < peak / 10 && total - peak < peak / 5, "\(total) \(peak)")
    #expect(estimate["fits"] as? Bool == true && estimate["estimated"] as? Bool == true)
    let parts = try #require(estimate["bytes"] as? [String: Double])
    #expect(parts.values.reduce(0, +) == total)
    let table = try pet(["models", "fit"])
    #expect(table.status == 0 && table.output.contains(/phi-3-mini-4k-instruct +3\.\d GB/))
  }
}
