import PetEngine

/// How a daemon fares, as the dashboard and `pet top` show it. What was not measured is null.
package struct Figures: Codable, Sendable, Equatable {
  package struct Model: Codable, Sendable, Equatable {
    package var name: String
    package var isLoaded: Bool
    package var tier: String?
    /// That it stands in for a larger one.
    package var degraded: DegradedForm?

    enum CodingKeys: String, CodingKey {
      case name, tier, degraded
      case isLoaded = "loaded"
    }

    package func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(isLoaded, forKey: .isLoaded)
      try values.encode(tier, forKey: .tier)
      try values.encode(degraded, forKey: .degraded)
    }
  }

  package struct Device: Codable, Sendable, Equatable {
    package var cpu: String
    package var cores: Int
    package var memoryMB: Int
    package var instructionSets: [String]
    package var profile: String

    enum CodingKeys: String, CodingKey {
      case cpu, cores, profile
      case memoryMB = "memory_mb"
      case instructionSets = "instruction_sets"
    }
  }

  /// How one model fared lately: times to the first token, or to the whole where it writes none.
  package struct Latency: Codable, Sendable, Equatable {
    package var model: String
    /// Inferences since the daemon began.
    package var count: UInt64
    /// Of the last half hour, like those below; nil where nothing was asked.
    package var mean: Double?
    package var p50: Double?
    package var p95: Double?
    package var p99: Double?
    /// What the model is promised to keep to.
    package var target: Double?
    /// What part of the inferences did, from 0 to 1.
    package var compliance: Double?
    package var memory: Double
    package var percentPerHalfHour: Double

    enum CodingKeys: String, CodingKey {
      case model, count, compliance
      case mean = "mean_ms"
      case p50 = "p50_ms"
      case p95 = "p95_ms"
      case p99 = "p99_ms"
      case target = "target_ms"
      case memory = "memory_mb"
      case percentPerHalfHour = "percent_per_half_hour"
    }

    init(_ statistics: PerformanceStatistics, named name: String) {
      func milliseconds(_ time: Duration) -> Double { (time / .microseconds(1)).rounded() / 1000 }
      model = name
      count = statistics.count
      let isMeasured = statistics.recentCount > 0
      mean = isMeasured ? milliseconds(statistics.mean) : nil
      p50 = isMeasured ? milliseconds(statistics.p50) : nil
      p95 = isMeasured ? milliseconds(statistics.p95) : nil
      p99 = isMeasured ? milliseconds(statistics.p99) : nil
      target = statistics.targets.latency.map(milliseconds)
      compliance = statistics.compliance
      memory = (Double(statistics.memory) / 104857.6).rounded() / 10
      percentPerHalfHour = (statistics.batteryPerHalfHour * 100).rounded() / 100
    }

    package func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(model, forKey: .model)
      try values.encode(count, forKey: .count)
      try values.encode(mean, forKey: .mean)
      try values.encode(p50, forKey: .p50)
      try values.encode(p95, forKey: .p95)
      try values.encode(p99, forKey: .p99)
      try values.encode(target, forKey: .target)
      try values.encode(compliance, forKey: .compliance)
      try values.encode(memory, forKey: .memory)
      try values.encode(percentPerHalfHour, forKey: .percentPerHalfHour)
    }
  }

  /// What was done about a model, and why.
  package struct Response: Codable, Sendable, Equatable {
    package var model: String
    package var response: String
    package var reason: String
    /// Seconds ago.
    package var age: Double

    enum CodingKeys: String, CodingKey {
      case model, response, reason
      case age = "age_s"
    }
  }

  package struct Memory: Codable, Sendable, Equatable {
    package var resident: Double
    package var budget: Double

    enum CodingKeys: String, CodingKey {
      case resident = "resident_mb"
      case budget = "budget_mb"
    }
  }

  package struct Battery: Codable, Sendable, Equatable {
    /// Nil where there is none.
    package var percent: Int?
    /// What all models cost in the last half hour, at 0.03 % for each tenth of a second that they compute. An estimate, on a telephone.
    package var percentPerHalfHour: Double
    /// Where measured energy comes from: rapl, power_supply, unavailable.
    package var source: String
    /// What the whole machine takes now, by that.
    package var watts: Double?

    enum CodingKeys: String, CodingKey {
      case percent, source, watts
      case percentPerHalfHour = "percent_per_half_hour"
    }

    package func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(percent, forKey: .percent)
      try values.encode(percentPerHalfHour, forKey: .percentPerHalfHour)
      try values.encode(source, forKey: .source)
      try values.encode(watts, forKey: .watts)
    }
  }

  package struct Cache: Codable, Sendable, Equatable {
    /// Of kept answers, from 0 to 1; nil before the first lookup.
    package var hitRate: Double?
    /// What part of all prompts' tokens did not have to be read again, from 0 to 1; nil before the first.
    package var prefixRate: Double?

    enum CodingKeys: String, CodingKey {
      case hitRate = "hit_rate"
      case prefixRate = "prefix_rate"
    }

    package func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(hitRate, forKey: .hitRate)
      try values.encode(prefixRate, forKey: .prefixRate)
    }
  }

  package struct Alert: Codable, Sendable, Equatable {
    package var kind: String
    package var text: String
  }

  package struct Privacy: Codable, Sendable, Equatable {
    package var state: String
    package var badge: String
    package var detail: String
  }

  package var uptime: Double
  package var model: Model
  package var device: Device
  package var latency: [Latency]
  /// Of the last replies, the oldest first.
  package var tokensPerSecond: [Double]
  package var memory: Memory
  package var battery: Battery
  package var cache: Cache
  package var requests: Int64
  package var connections: Int
  package var pets: Int
  package var alerts: [Alert] = []
  /// The last, the newest first.
  package var responses: [Response] = []
  package var privacy: Privacy

  enum CodingKeys: String, CodingKey {
    case model, device, latency, memory, battery, cache, requests, connections, pets, alerts, responses, privacy
    case uptime = "uptime_s"
    case tokensPerSecond = "tokens_per_second"
  }

  /// What of it a person should look at, besides what the monitor says of single models.
  package var findings: [Alert] {
    var alerts: [Alert] = []
    if memory.resident > 1.2 * memory.budget {
      alerts.append(
        Alert(kind: "memory", text: "\(Int(memory.resident)) MiB resident, budget \(Int(memory.budget)) MiB"))
    }
    if privacy.state == PrivacyStatus.State.failed.rawValue {
      alerts.append(Alert(kind: "privacy", text: privacy.detail))
    }
    return alerts
  }
}
