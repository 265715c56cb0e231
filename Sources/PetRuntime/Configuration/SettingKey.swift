/// Every setting, by its name in a file.
public enum SettingKey: String, CaseIterable, Sendable, Codable {
  case profile, model, quality, threads, weights, context
  case cachePrecision = "kv_cache"
  case predictionCacheSize = "prediction_cache.size"
  case predictionCachePersisted = "prediction_cache.persisted"
  case classifierQuality = "classifiers.quality"
  case optionalClassifiers = "classifiers.optional"
  case memoryBudget = "memory.budget"
  case idleTimeToLive = "memory.idle_time_to_live"
  case safety = "safety.v1"

  /// The name in the environment: PET_ and the name in a file, in capitals, with "_" for ".".
  public var environmentName: String {
    "PET_" + rawValue.uppercased().replacing(".", with: "_")
  }

  /// The setting that was probably meant by a name that is none: at most two letters away.
  static func nearest(to name: String) -> SettingKey? {
    let near = allCases.map { (key: $0, distance: distance($0.rawValue, name)) }.min { $0.distance < $1.distance }
    return near.flatMap { $0.distance <= 2 ? $0.key : nil }
  }

  /// Letters to insert, delete or exchange (Levenshtein 1965); 64 letters are looked at.
  private static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.prefix(64)), Array(second.prefix(64)))
    var row = Array(0...second.count)
    for (line, letter) in first.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in second.indices {
        let change = diagonal + (second[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, row[column] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
