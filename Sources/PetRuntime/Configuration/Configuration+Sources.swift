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
  /// - Parameter share: asked only where nobody says how many threads.
  /// - Throws: `ConfigurationError`.
  public init(
    _ sources: Sources, share: () -> ProcessorShare = { .read() }
  ) throws(ConfigurationError) {
    var lines: [SettingLine] = []
    if let file = sources.file {
      lines = try ConfigurationFile.read(file)
    } else if let file = sources.usualFile {
      do {
        lines = try ConfigurationFile.read(file)
      } catch {
        guard case .missing = error else { throw error }
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

  /// Variables that look like settings and are none: misspelt ones, perhaps.
  /// - Parameter known: other names that mean something.
  public static func unknownVariables(
    in environment: [String: String], known: Set<String> = ["PET_HOME", "PET_KERNELS", "PET_PASSPHRASE"]
  ) -> [String] {
    let names = known.union(SettingKey.allCases.map(\.environmentName))
    return environment.keys.filter { $0.hasPrefix("PET_") && !names.contains($0) }.sorted()
  }
}
