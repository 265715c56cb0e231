// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Configuration")
struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func read(
    _ toml: String? = nil, environment: [String: String] = [:], flags: [Configuration.Sources.Flag] = []
  ) throws -> Configuration {
    let file = try toml.map { try folder.write("config.toml", $0) }
    return try Configuration(
      .init(file: file, environment: environment, flags: flags), share: { ProcessorShare(allowed: 4, quota: nil) })
  }

  private func refusal(
    _ toml: String? = nil, environment: [String: String] = [:], flags: [Configuration.Sources.Flag] = []
  ) -> String {
    do {
      _ = try read(toml, environment: environment, flags: flags)
      return "nothing was refused"
    } catch {
      return "\(error)".replacing(folder.path + "/", with: "")
    }
  }

  /// The table of profiles.
  @Test func defaults() {
    let phone = Configuration(.phone, share: { ProcessorShare(allowed: 8, quota: 2.5) })
    #expect(phone.threads.value == 3 && phone.weights.value == .interleaved && phone.context.value == 2048)
    #expect(phone.cachePrecision.value == .f16 && phone.predictionCacheSize.value == 32_000_000)
    #expect(phone.quality.value == .automatic && phone.classifierQuality.value.quality == nil)
    #expect(phone.optionalClassifiers.value && phone.memoryBudget.value == 500_000_000)
    #expect(phone.idleTimeToLive.value == .seconds(600) && phone.model.value == nil)
    let watch = Configuration(
      .watch,
      share: {
        Issue.record("a watch need not ask")
        return ProcessorShare(allowed: 8, quota: nil)
      })
    #expect(watch.threads.value == 1 && watch.weights.value == .rowMajor && watch.context.value == 512)
    #expect(watch.cachePrecision.value == .q8_0 && watch.predictionCacheSize.value == 4_000_000)
    #expect(watch.quality.value == .low && watch.classifierQuality.value.quality == .low)
    #expect(!watch.optionalClassifiers.value)
    for configuration in [phone, watch] {
      for entry in configuration.entries {
        let expected: SettingOrigin = entry.key == .profile ? .standard : .profile(configuration.profile.value)
        #expect(entry.origin == expected)
      }
    }
  }

  @Test("every setting can be set in every way, and the last way holds")
  func layers() throws {
    /// What each setting becomes, in a file and as text.
    let values: [SettingKey: (toml: String, text: String, shown: SettingValue)] = [
      .profile: ("'watch'", "watch", .text("watch")), .model: ("'tiny'", "tiny", .text("tiny")),
      .quality: ("\"medium\"", "medium", .text("medium")), .threads: ("3", "3", .count(3)),
      .weights: ("'packed'", "packed", .text("packed")), .context: ("1_000", "1000", .count(1000)),
      .cachePrecision: ("'f16'", "f16", .text("f16")),
      .predictionCacheSize: ("'1 MiB'", "1048576", .bytes(1_048_576)),
      .predictionCachePersisted: ("false", "false", .flag(false)),
      .classifierQuality: ("'auto'", "auto", .text("auto")), .optionalClassifiers: ("true", "true", .flag(true)),
      .memoryBudget: ("250000000", "250 mb", .bytes(250_000_000)),
      .idleTimeToLive: ("'2 h'", "7200", .seconds(7200)), .safety: ("'off'", "off", .text("off")),
      .rungs: (
        "'sum, replacement,model,memory,honesty,care'", "care,honesty,memory,sum,model,replacement",
        .text("care, honesty, memory, sum, model, replacement")
      ),
    ]
    for key in SettingKey.allCases {
      let (toml, text, shown) = try #require(values[key], "\(key) is not tested")
      let file = "\n\(key.rawValue) = \(toml)\n"
      let environment = [key.environmentName: text]
      let flags = [Configuration.Sources.Flag(key, text, name: "--x")]
      func entry(_ configuration: Configuration) -> Configuration.Entry? {
        configuration.entries.first { $0.key == key }
      }
      let position = SourcePosition(line: 2, column: key.rawValue.count + 4)
      for (configuration, origin) in [
        (try read(file), SettingOrigin.file(path: folder.path + "/config.toml", position)),
        (try read(file, environment: environment), .environment(name: key.environmentName)),
        (try read(file, environment: environment, flags: flags), .flag(name: "--x")),
      ] {
        #expect(entry(configuration)?.value == shown && entry(configuration)?.origin == origin)
        let others = configuration.entries.filter { $0.key != key && $0.key != .profile }
        #expect(others.allSatisfy { $0.origin == .profile(configuration.profile.value) })
      }
    }
  }

  @Test("the profile of the last layer decides the defaults of all")
  func profileFirst() throws {
    let configuration = try read(
      "profile = 'phone'\ncontext = 100\n", environment: ["PET_PROFILE": "watch", "PET_KV_CACHE": "f16"],
      flags: [.init(.memoryBudget, "1 GB", name: "--set")])
    #expect(configuration.profile.value == .watch && configuration.threads.value == 1)
    #expect(configuration.context.value == 100 && configuration.cachePrecision.value == .f16)
    #expect(configuration.weights.value == .rowMajor && configuration.memoryBudget.value == 1_000_000_000)
  }

  @Test("sections and dotted keys are the same; a name is not a section")
  func sections() throws {
    let sections = try read("[memory]\nbudget = '90 MB'\n[prediction_cache]\nsize = 0\n")
    let dotted = try read("memory.budget = '90 MB'\nprediction_cache.size = 0\n")
    #expect(sections.memoryBudget.value == 90_000_000 && dotted.memoryBudget.value == 90_000_000)
    #expect(sections.predictionCacheSize.value == 0 && dotted.predictionCacheSize.value == 0)
    #expect(refusal("'memory.budget' = 5000000") != "nothing was refused")
  }

  @Test("never, and an empty variable")
  func absences() throws {
    #expect(try read("memory.idle_time_to_live = 'never'").idleTimeToLive.value == nil)
    let configuration = try read(environment: ["PET_THREADS": "", "PET_CONTEXT": "99"])
    #expect(configuration.threads.value == 4 && configuration.context.value == 99)
  }

  @Test("rungs that always answer cannot be left out")
  func rungs() throws {
    #expect(try read().rungs.value == Set(Rung.allCases))
    #expect(try read("profile = 'watch'").rungs.value == Set(Rung.allCases))
    #expect(try read("answers.rungs = 'all'").rungs.value == Set(Rung.allCases))
    #expect(
      try read("answers.rungs = 'all but sum, told'").rungs.value == Set(Rung.allCases).subtracting([.sum, .told]))
    let least = "care, honesty, memory, model, replacement"
    #expect(try read("[answers]\nrungs = '\(least)'").rungs.value == Rung.required)
    for name in Rung.required.map(\.rawValue) {
      let others = least.replacing(", \(name)", with: "").replacing("\(name), ", with: "")
      let refusal = refusal(environment: ["PET_ANSWERS_RUNGS": others])
      #expect(
        refusal.hasPrefix("PET_ANSWERS_RUNGS is \(others); give \"all\", \"all but\" some, or a list as in"),
        "\(refusal)")
      #expect(
        refusal.contains(": always \(least), and any of game, untold, life, joke, frequent, sum, bank"), "\(refusal)")
    }
    for other in [
      "", ",", "\(least),", "\(least), jokes", "\(least); sum", "All", "all but ", "all but care", "all but x",
    ] {
      #expect(
        refusal(flags: [.init(.rungs, other, name: "--set")]).contains("; give \"all\", \"all but\" some"), "\(other)")
    }
  }

  @Test(
    "what is refused says where, what and what is allowed",
    arguments: [
      ("threads = 0", "config.toml:1:11: threads is 0; give an integer from 1 to 256"),
      ("\n threads = \"4\"", "config.toml:2:12: threads is \"4\"; give an integer from 1 to 256"),
      ("threads = 2.0", "config.toml:1:11: threads is 2.0; give an integer from 1 to 256"),
      ("context = true", "config.toml:1:11: context is true; give an integer from 16 to 1048576"),
      ("context = 9223372036854775807", "config.toml:1:11: context is 9223372036854775807; give an integer from"),
      ("profile = 'phne'", "config.toml:1:11: profile is \"phne\"; give phone or watch"),
      ("quality = 1", "config.toml:1:11: quality is 1; give auto, high, medium or low"),
      ("kv_cache = 'q4'", "config.toml:1:12: kv_cache is \"q4\"; give f32, f16 or q8_0"),
      ("classifiers.optional = 1", "config.toml:1:24: classifiers.optional is 1; give true or false"),
      ("[memory]\nbudget = -1", "config.toml:2:10: memory.budget is -1; give bytes as in \"500 MB\""),
      ("[memory]\nbudget = '5 potatoes'", "memory.budget is \"5 potatoes\"; give bytes"),
      ("[memory]\nbudget = '99999999999999999999 GB'", "give bytes"),
      ("[memory]\nbudget = '18446744073709551615 GB'", "give bytes"),
      ("[memory]\nidle_time_to_live = 0", "config.toml:2:21: memory.idle_time_to_live is 0; give a time as in"),
      ("model = ''", "config.toml:1:9: model is \"\"; give a name"), ("model = \"a\\nb\"", "model is"),
      ("thread = 1", "config.toml:1:1: 'thread' is no setting; did you mean threads?"),
      ("[memory]\nbugdet = 1", "config.toml:2:1: 'memory.bugdet' is no setting; did you mean memory.budget?"),
      ("[threads]\nx = 1", "config.toml:2:1: 'threads.x' is no setting; did you mean threads?"),
      ("colour = 1", "config.toml:1:1: 'colour' is no setting; there are profile, model, "),
      ("threads = 1\nthreads = 2", "config.toml:2:1: threads is already there in line 1; keep one of them"),
      ("threads = [1]", "config.toml:1:11: an array is no value of any setting"),
      ("threads 1", "config.toml:1:9: = is expected here"),
    ])
  func refusals(toml: String, message: String) {
    #expect(refusal(toml).contains(message), "\(refusal(toml))")
  }

  @Test("the environment and arguments are held to the same")
  func otherRefusals() {
    #expect(refusal(environment: ["PET_THREADS": "four"]) == "PET_THREADS is four; give an integer from 1 to 256")
    #expect(refusal(environment: ["PET_PREDICTION_CACHE_PERSISTED": "yes"]).hasSuffix("is yes; give true or false"))
    #expect(refusal(flags: [.init(.threads, "0", name: "--threads")]).hasPrefix("--threads is 0; give an integer"))
    #expect(refusal(flags: [.init(.weights, "", name: "--set")]) == "--set weights is empty; give packed or mapped")
    let hidden = refusal("threads = 0", flags: [.init(.threads, "2", name: "--threads")])
    #expect(hidden.hasPrefix("config.toml:1:11: threads is 0"), "also where another value takes its place")
    #expect(refusal("profile = 5", environment: ["PET_PROFILE": "watch"]).hasPrefix("config.toml:1:11: profile is 5"))
    #expect(
      refusal(environment: ["PET_MODEL": String(repeating: "é", count: 5000)]).count < 200, "cut where it is long")
  }

  @Test("a variable that looks like a setting and is none is refused, with the name that was probably meant")
  func unknownVariables() {
    let known = ["PET_THREADS": "1", "PET_HOME": "/", "PATH": "", "PET_TEST_MODEL": "x", "PET_PASSPHRASE": "x"]
    #expect(refusal(environment: known.merging(["PET_XYLOPHONE": ""]) { $1 }) == "nothing was refused")
    for (name, meant) in [("PET_THREAD", "PET_THREADS"), ("PET_HOEM", "PET_HOME"), ("PET_KV_CAHCE", "PET_KV_CACHE")] {
      let said = refusal(environment: known.merging([name: "1"]) { $1 })
      #expect(said.hasPrefix("\(name): no setting") && said.contains("did you mean \(meant)?"), "\(said)")
    }
    #expect(refusal(environment: ["PET_XYLOPHONE": "1"]).contains("unset it"))
  }
}
