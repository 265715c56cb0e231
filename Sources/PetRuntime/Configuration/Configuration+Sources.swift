// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension Configuration {
  /// Where values are looked for: what stands further down goes first.
  public struct Sources: Sendable {
    /// One value from an argument.
    public struct Flag: Sendable, Equatable {
      public var key: SettingKey
      public var value: String
      /// "--threads"
      public var name: String

      public init(_ key: SettingKey, _ value: String, name: String) {
        self.key = key
        self.value = value
        self.name = name
      }
    }

    /// A file that need not be there.
    public var usualFile: String?
    /// A file that must be there; the usual one is then not read.
    public var file: String?
    public var environment: [String: String]
    /// The last of one setting holds.
    public var flags: [Flag]

    public init(
      usualFile: String? = nil, file: String? = nil, environment: [String: String] = [:], flags: [Flag] = []
    ) {
      self.usualFile = usualFile
      self.file = file
      self.environment = environment
      self.flags = flags
    }
  }

  /// The defaults of the profile, changed by the file, then the environment, then the flags. A value that is refused is refused
  /// also where another takes its place. An empty variable of the environment counts as none.
  /// - Throws: `ConfigurationError`.
  public init(_ sources: Sources) throws(ConfigurationError) { try self.init(sources, share: { .read() }) }

  /// - Parameter share: asked only where nobody says how many threads.
  package init(_ sources: Sources, share: () -> ProcessorShare) throws(ConfigurationError) {
    try Self.refuseUnknownVariables(in: sources.environment)
    var lines: [SettingLine] = []
    if let file = sources.file {
      lines = try ConfigurationFile.read(file)
    } else if let file = sources.usualFile {
      do {
        lines = try ConfigurationFile.read(file)
      } catch {
        // A link that leads nowhere is no file that is left out: somebody meant one.
        guard case .missing = error, !FilePath.isLink(file) else { throw error }
      }
    }
    for key in SettingKey.allCases {
      guard let value = sources.environment[key.environmentName], !value.isEmpty else { continue }
      lines.append(.init(key: key, input: .text(value), origin: .environment(name: key.environmentName)))
    }
    lines += sources.flags.map { .init(key: $0.key, input: .text($0.value), origin: .flag(name: $0.name)) }

    // The profile decides the other defaults, so it comes first.
    var profile = Setting(Profile.phone, .standard)
    for line in lines where line.key == .profile { profile = try SettingForm.choice.setting(line) }
    let hasThreads = lines.contains { $0.key == .threads }
    self.init(profile, share: { hasThreads ? ProcessorShare(allowed: 1, quota: nil) : share() })
    for line in lines { try apply(line) }
  }

  /// Refuses variables that look like settings and are none: misspelt ones would change nothing, and nobody would know.
  /// - Throws: `ConfigurationError.unknownVariable`, of the first by the alphabet.
  package static func refuseUnknownVariables(in environment: [String: String]) throws(ConfigurationError) {
    let unknown = environment.filter { name, value in
      name.hasPrefix("PET_") && !value.isEmpty && !variables.contains(name) && !others.contains(where: name.hasPrefix)
    }
    if let first = unknown.keys.min() { throw .unknownVariable(first) }
  }

  /// All that mean something to a person.
  package static let variables = Set(
    SettingKey.allCases.map(\.environmentName) + ["PET_HOME", "PET_KERNELS", "PET_PASSPHRASE"])

  /// What they begin with alike does not make them near.
  static func variable(nearestTo name: String) -> String? {
    NearestName.of(String(name.dropFirst(4)), among: variables.sorted().map { String($0.dropFirst(4)) })
      .map { "PET_" + $0 }
  }

  /// How the variables begin that this project's tests and benchmarks are told by.
  private static let others = [
    "PET_TEST_", "PET_BENCH_", "PET_WRITE_", "PET_GRAMMAR_", "PET_TOKENIZER_", "PET_FAULT", "PET_FUZZ",
    "PET_REFERENCES", "PET_UNQUANTIZED_", "PET_API_", "PET_SCREENSHOTS",
  ]
}
