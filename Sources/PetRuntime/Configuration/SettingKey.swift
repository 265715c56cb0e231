// SPDX-License-Identifier: Apache-2.0
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
  case rungs = "answers.rungs"

  /// The name in the environment: PET_ and the name in a file, in capitals, with "_" for ".".
  public var environmentName: String {
    "PET_" + rawValue.uppercased().replacing(".", with: "_")
  }
}
