// SPDX-License-Identifier: Apache-2.0
extension Configuration {
  /// Replaces one value.
  /// - Throws: `ConfigurationError.refused` for one that is not allowed.
  mutating func apply(_ line: SettingLine) throws(ConfigurationError) {
    func read<Value>(_ form: SettingForm<Value>) throws(ConfigurationError) -> Setting<Value> {
      try form.setting(line)
    }
    switch line.key {
    case .profile: profile = try read(.choice)
    case .model: model = try read(.model)
    case .quality: quality = try read(.choice)
    case .threads: threads = try read(.integer(1...256))
    case .weights: weights = try read(.choice)
    case .context: context = try read(.integer(16...1_048_576))
    case .cachePrecision: cachePrecision = try read(.choice)
    case .predictionCacheSize: predictionCacheSize = try read(.bytes(0...Self.mostBytes))
    case .predictionCachePersisted: predictionCachePersisted = try read(.boolean)
    case .classifierQuality: classifierQuality = try read(.choice)
    case .optionalClassifiers: optionalClassifiers = try read(.boolean)
    case .memoryBudget: memoryBudget = try read(.bytes(1_000_000...Self.mostBytes))
    case .idleTimeToLive: idleTimeToLive = try read(.time(1...2_592_000))
    case .safety: safety = try read(.choice)
    case .rungs: rungs = try read(.rungs)
    }
  }

  /// 1 TB: no machine that this is for has more, and sums stay far from overflow.
  private static let mostBytes: UInt64 = 1_000_000_000_000
}
