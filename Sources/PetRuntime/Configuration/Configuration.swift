// SPDX-License-Identifier: Apache-2.0
/// How the engine runs, as one value: what the profile takes, changed by a file, the environment and arguments. Every value
/// was checked, and knows where it came from.
public struct Configuration: Sendable, Equatable {
  /// What the weights of a row-major file are run from.
  public enum WeightLayout: String, Sendable, Codable, CaseIterable {
    /// Interleaved copies, which the kernels read fastest.
    case interleaved = "packed"
    /// The mapped file: its pages are shared and can be given back.
    case rowMajor = "mapped"
  }

  /// How keys and values of a conversation are kept.
  public enum CachePrecision: String, Sendable, Codable, CaseIterable { case f32, f16, q8_0 }

  public enum QualityChoice: String, Sendable, Codable, CaseIterable {
    /// What suits the device.
    case automatic = "auto"
    case high, medium, low

    /// nil: what suits the device.
    public var quality: ModelQuality? { ModelQuality(rawValue: rawValue) }
  }

  /// Whether words are written in the place of a model of others where somebody tells of danger.
  public enum SafetyPolicy: String, Sendable, Codable, CaseIterable { case care, off }

  public internal(set) var profile: Setting<Profile>
  /// The language model's name or path; nil: the profile's default.
  public internal(set) var model: Setting<String?>
  /// Which variant of the language model.
  public internal(set) var quality: Setting<QualityChoice>
  /// Threads that compute.
  public internal(set) var threads: Setting<Int>
  public internal(set) var weights: Setting<WeightLayout>
  /// Tokens of a conversation.
  public internal(set) var context: Setting<Int>
  public internal(set) var cachePrecision: Setting<CachePrecision>
  /// Bytes that remembered replies may take; 0: none are remembered.
  public internal(set) var predictionCacheSize: Setting<UInt64>
  /// Whether the cache outlives the process.
  public internal(set) var predictionCachePersisted: Setting<Bool>
  /// Which variant of the classifiers.
  public internal(set) var classifierQuality: Setting<QualityChoice>
  /// Whether classifiers that nobody waits for run.
  public internal(set) var optionalClassifiers: Setting<Bool>
  /// Bytes that all loaded models may take together.
  public internal(set) var memoryBudget: Setting<UInt64>
  /// How long a model stays loaded unused; nil: for ever.
  public internal(set) var idleTimeToLive: Setting<Duration?>
  /// For models of others, where no pet leads the conversation; those of this project always care.
  public internal(set) var safety: Setting<SafetyPolicy>
  /// Who may answer a line that is said to a pet; never without ``Rung/required``.
  public internal(set) var rungs: Setting<Set<Rung>>
}
