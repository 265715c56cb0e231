// SPDX-License-Identifier: Apache-2.0
/// A value of any setting, to be shown.
package enum SettingValue: Sendable, Equatable, Encodable {
  case text(String)
  case count(Int)
  case bytes(UInt64)
  case seconds(Int64)
  case flag(Bool)
  /// Nothing was chosen, and what that means.
  case none(meaning: String)

  /// A string, a number, true, false or null.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .count(let count): try container.encode(count)
    case .bytes(let bytes): try container.encode(bytes)
    case .seconds(let seconds): try container.encode(seconds)
    case .flag(let flag): try container.encode(flag)
    case .none: try container.encodeNil()
    }
  }
}

extension Configuration {
  /// One setting of a configuration.
  package struct Entry: Sendable, Equatable {
    package let key: SettingKey
    package let value: SettingValue
    package let origin: SettingOrigin
  }

  /// All settings, in the order of `SettingKey`.
  package var entries: [Entry] { SettingKey.allCases.map(entry) }

  private func entry(_ key: SettingKey) -> Entry {
    func entry<Value>(_ setting: Setting<Value>, _ value: (Value) -> SettingValue) -> Entry {
      Entry(key: key, value: value(setting.value), origin: setting.origin)
    }
    return switch key {
    case .profile: entry(profile) { .text($0.rawValue) }
    case .model: entry(model) { $0.map(SettingValue.text) ?? .none(meaning: "the profile's default") }
    case .quality: entry(quality) { .text($0.rawValue) }
    case .threads: entry(threads, SettingValue.count)
    case .weights: entry(weights) { .text($0.rawValue) }
    case .context: entry(context, SettingValue.count)
    case .cachePrecision: entry(cachePrecision) { .text($0.rawValue) }
    case .predictionCacheSize: entry(predictionCacheSize, SettingValue.bytes)
    case .predictionCachePersisted: entry(predictionCachePersisted, SettingValue.flag)
    case .classifierQuality: entry(classifierQuality) { .text($0.rawValue) }
    case .optionalClassifiers: entry(optionalClassifiers, SettingValue.flag)
    case .memoryBudget: entry(memoryBudget, SettingValue.bytes)
    case .idleTimeToLive:
      entry(idleTimeToLive) { $0.map { .seconds($0.components.seconds) } ?? .none(meaning: "never") }
    case .safety: entry(safety) { .text($0.rawValue) }
    case .rungs: entry(rungs) { .text(Rung.list($0)) }
    }
  }
}
