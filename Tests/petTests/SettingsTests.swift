// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("Settings of the command")
struct SettingsTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func pet(
    _ arguments: String..., environment: [String: String] = [:], input: String = ""
  ) throws -> PetBinary.Result {
    var variables = environment
    variables["PATH"] = "/usr/bin:/bin"
    variables["PET_HOME"] = home.path
    return try PetBinary.run(executable: PetBinary.path, arguments, environment: variables, input: input)
  }

  private func write(_ name: String, _ text: String) throws -> String {
    let path = home.path + "/" + name
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func settings(_ result: PetBinary.Result) throws -> [String: [String: Any]] {
    #expect(result.status == 0, "\(result.error)")
    let object = try #require(try result.json() as? [String: Any])
    return try #require(object["settings"] as? [String: [String: Any]])
  }

  @Test("doctor: each value, and where it came from")
  func origins() throws {
    let file = try write("config.toml", "threads = 3\ncontext = 300\n[memory]\nbudget = '100 MB'\n")
    let shown = try settings(
      pet(
        "doctor", "--json", "--profile", "watch", "--set", "memory.budget=1 MiB", "--set", "model=pet-nano",
        environment: ["PET_CONTEXT": "200", "PET_THREADS": ""]))
    func expect(_ key: String, _ value: String, _ from: String) {
      #expect(shown[key].map { "\($0["value"] ?? "")" } == value && shown[key]?["from"] as? String == from, "\(key)")
    }
    expect("profile", "watch", "--profile")
    expect("threads", "3", "\(file):1:11")
    expect("context", "200", "PET_CONTEXT")
    expect("memory.budget", "1048576", "--set")
    expect("model", "pet-nano", "--set")
    expect("kv_cache", "q8_0", "profile watch")
    expect("memory.idle_time_to_live", "60", "profile watch")
    let plain = try settings(
      pet("doctor", "--json", "--config", write("other.toml", "memory.idle_time_to_live = 'never'")))
    #expect(plain["model"]?["value"] is NSNull && plain["memory.idle_time_to_live"]?["value"] is NSNull)
    #expect(plain["threads"]?["from"] as? String == "profile phone", "the usual file is not read")
    let table = try pet("doctor").output
    #expect(table.contains(/\nthreads +3 +.*config\.toml:1:11\n/), "\(table)")
    #expect(table.contains(/\nmemory\.budget +100 MB +.*config\.toml:4:10\n/), "\(table)")
  }

  @Test(
    "a variable that looks like a setting and is none is refused by every command; others mean something"
  )
  func variables() throws {
    let result = try pet("doctor", "--json", environment: ["PET_PASSPHRASE": "a wet xylophone", "PET_TEST_MODEL": "x"])
    #expect(result.status == 0 && !result.output.contains("xylophone"))
    let commands = [
      ["doctor"], ["chat"], ["complete", "--prompt", "x"], ["bench"], ["models", "fit"], ["models", "list"],
      ["privacy"],
      ["top"], ["classify", "stress", "x"],
    ]
    for command in commands {
      let refused = try PetBinary.run(
        executable: PetBinary.path, command,
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "PET_THREAD": "1"])
      #expect(refused.status == 3 && refused.error.hasPrefix("pet: PET_THREAD: no setting"), "\(command): \(refused)")
      #expect(refused.error.contains("did you mean PET_THREADS?"))
    }
  }

  @Test("PET_KERNELS: those that it names serve, and what it cannot mean is refused, by the daemon too")
  func kernels() throws {
    let result = try pet("doctor", "--json", environment: ["PET_KERNELS": "scalar"])
    let object = try #require(try result.json() as? [String: Any], "\(result.error)")
    #expect((object["instruction_sets"] as? [String: Any])?["chosen"] as? String == "scalar")
    #if arch(x86_64)
      let foreign = "neon"
    #else
      let foreign = "avx2"
    #endif
    for name in ["sse", "SCALAR", foreign] {
      for program in [PetBinary.path, PetBinary.path + "d"] {
        let refused = try PetBinary.run(
          executable: program, program == PetBinary.path ? ["models", "list"] : [],
          environment: ["PET_HOME": home.path, "PET_KERNELS": name])
        #expect(refused.status == 3 && refused.output == "", "\(name)")
        #expect(refused.error.contains(name) && refused.error.count { $0 == "\n" } == 1, "\(refused.error)")
        for words in [["--version"], ["--help"]] {
          let help = try PetBinary.run(
            executable: program, words, environment: ["PET_HOME": home.path, "PET_KERNELS": name, "PET_THREAD": "1"])
          #expect(help.status == 0 && help.error == "" && help.output.contains("pet"), "\(words): \(help)")
        }
      }
    }
  }

  @Test(
    "doctor: a model of the settings that cannot be used is told behind the report, with the status of whoever would use it"
  )
  func unusableModel() throws {
    _ = try write("config.toml", "model = 'nope'\n")
    let text = try pet("doctor")
    #expect(text.status == 3 && text.output.contains("SETTING"), "\(text)")
    #expect(text.error.contains("'nope'") && text.error.count { $0 == "\n" } == 1, "\(text.error)")
    let json = try pet("doctor", "--json")
    let problem = (try json.json() as? [String: Any])?["problem"] as? String
    #expect(json.status == 3 && problem?.contains("'nope'") == true, "\(json)")
  }

  @Test("doctor: the machine")
  func machine() throws {
    let object = try #require(try pet("doctor", "--json").json() as? [String: Any])
    #expect(
      Set(object.keys) == [
        "version", "build", "device", "instruction_sets", "int8_hardware", "power", "thermal", "tier", "profile",
        "settings", "memory", "models", "privacy", "energy", "problem", "speed",
        "fixes",
      ])
    let tier = try #require(object["tier"] as? [String: String])
    #expect(Set(tier.keys) == ["basis", "hardware", "now", "recommended_quality"])
    #expect(tier.allSatisfy { $0.key == "basis" || ["high", "medium", "low"].contains($0.value) })
    let memory = try #require(object["memory"] as? [String: Int])
    #expect(try #require(memory["resident"]) > 0 && memory["idle_target"] == 20_000_000)
    let power = try #require(object["power"] as? [String: Any])
    #expect(power.keys.contains("battery") && power.keys.contains("on_mains"))
    #expect(object["thermal"] as? [String: Any] != nil && object["int8_hardware"] as? [String] != nil)
    let text = try pet("doctor").output
    for part in ["tier", "SETTING", "quality"] { #expect(text.contains(part), "\(part) in \(text)") }
    // What this machine has none of is no row.
    #expect(text.contains("int8 hardware") == ((object["int8_hardware"] as? [String])?.isEmpty == false))
    #expect(!text.contains("unavailable") && !text.contains("none\n"))
  }

  @Test("a model runs as the settings say", arguments: ["file", "environment", "flag"])
  func used(way: String) throws {
    let long = String(repeating: "one two three ", count: 6)
    func complete(_ setting: (key: String, value: String)?) throws -> PetBinary.Result {
      var arguments = ["complete", "--model", Fixtures.smallModel, "--prompt", long, "--max-tokens", "2", "--json"]
      var environment = ["PATH": "/usr/bin:/bin", "PET_HOME": home.path]
      if let (key, value) = setting {
        switch way {
        case "file": _ = try write("config.toml", "\(key) = \(value)\n")
        case "environment": environment["PET_\(key.uppercased())"] = value
        default: arguments += ["--set", "\(key)=\(value)"]
        }
      }
      return try PetBinary.run(executable: PetBinary.path, arguments, environment: environment)
    }
    #expect(try complete(nil).status == 0)
    let short = try complete(("context", "16"))
    #expect(short.status == 3 && short.error.contains("16"), "\(short.error)")
  }

  @Test("bench takes threads and weights from the settings, and its flags go first")
  func bench() throws {
    func threads(_ arguments: String...) throws -> Int? {
      let result = try PetBinary.run(
        executable: PetBinary.path,
        ["bench", "--model", Fixtures.smallModel, "-p", "4", "-n", "0", "-r", "1", "--json"] + arguments,
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "PET_THREADS": "2", "PET_WEIGHTS": "mapped"])
      let rows = (try result.json() as? [String: Any])?["rows"] as? [[String: Any]]
      return rows?.first?["threads"] as? Int
    }
    #expect(try threads() == 2)
    #expect(try threads("--threads", "1") == 1)
    #expect(try threads("-t", "3") == 3)
    #expect(try threads("--threads", "1", "--set", "threads=2") == 1)
  }

  @Test("answers are kept in a file only where they are to outlive the process, and where there is room for any")
  func keptAnswers() throws {
    let file = home.path + "/pets/mochi/answers.cache"
    for (name, value) in [("PERSISTED", "false"), ("SIZE", "0")] {
      for extra: [String: String] in [[:], ["PET_PREDICTION_CACHE_\(name)": value]] {
        let result = try pet("chat", "--json", "--profile", "watch", environment: extra, input: "hello\n")
        #expect(result.status == 0, "\(result.error)")
        #expect(FileManager.default.fileExists(atPath: file) == extra.isEmpty, "\(name)")
      }
    }
  }

  @Test("the profile of the environment chooses the model")
  func profile() throws {
    let arguments = ["chat", "--json", "--max-tokens", "4", "--temperature", "0"]
    func chat(_ extra: [String: String]) throws -> PetBinary.Result {
      let environment = extra.merging(["PATH": "/usr/bin:/bin", "PET_HOME": home.path]) { first, _ in first }
      return try PetBinary.run(executable: PetBinary.path, arguments, environment: environment, input: "hello\n")
    }
    // The default of phone is not here: the built-in model stands in and says so.
    #expect(try chat([:]).error.contains("pet-nano answers"))
    let watch = try chat(["PET_PROFILE": "watch"])
    #expect(watch.status == 0 && watch.complaints == "")
  }

  @Test("what is refused is one line, with 3 for files and the environment and 2 for arguments")
  func refused() throws {
    func expect(
      _ result: PetBinary.Result, _ status: Int32, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(result.status == status && result.output == "", "\(result.error)", sourceLocation: sourceLocation)
      #expect(result.error.hasPrefix("pet: ") && result.error.filter { $0 == "\n" }.count == 1)
      #expect(result.error.contains(text), "\(result.error)", sourceLocation: sourceLocation)
    }
    let bad = try write("bad.toml", "\nthreads = 'many'\n")
    for command in ["doctor", "chat", "complete", "bench", "tokenize"] {
      expect(try pet(command, "--config", bad), 3, "bad.toml:2:11: threads is \"many\"; give an integer from 1 to 256")
    }
    expect(try pet("doctor", "--config", home.path + "/none.toml"), 3, "none.toml: no such file")
    expect(try pet("doctor", environment: ["PET_CONTEXT": "1e3"]), 3, "PET_CONTEXT is 1e3; give an integer")
    expect(try pet("complete", "--threads", "0"), 2, "--threads is 0; give an integer from 1 to 256")
    expect(try pet("doctor", "--set", "threads"), 2, "--set is threads; give a setting and its value")
    expect(try pet("doctor", "--set", "thread=1"), 2, "did you mean threads?")
    expect(try pet("chat", "--set", "context=1"), 2, "--set context is 1; give an integer from 16")
    expect(try pet("doctor", "--profile", "toaster"), 2, "toaster")
    _ = try write("config.toml", "\u{1B}[2J = 1\n")
    expect(try pet("doctor"), 3, "config.toml:1:1: a key is expected here")
    _ = try write("config.toml", "'\\u001b[2J' = 1\n")
    #expect(try !pet("doctor").error.contains("\u{1B}"))
  }
}
