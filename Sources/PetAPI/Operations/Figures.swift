// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// How a daemon fares, as the dashboard and `pet top` show it. What was not measured is null.
package struct Figures: Codable, Sendable, Equatable {
  package struct Model: Codable, Sendable, Equatable {
    package var name: String
    package var isLoaded: Bool
    @OrNull package var tier: String? = nil
    /// That it stands in for a larger one.
    @OrNull package var degraded: DegradedForm? = nil

    enum CodingKeys: String, CodingKey {
      case name, tier, degraded
      case isLoaded = "loaded"
    }

    package init(name: String, isLoaded: Bool, tier: String?, degraded: DegradedForm?) {
      (self.name, self.isLoaded) = (name, isLoaded)
      (self.tier, self.degraded) = (tier, degraded)
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

    package init(cpu: String, cores: Int, memoryMB: Int, instructionSets: [String], profile: String) {
      (self.cpu, self.cores, self.memoryMB) = (cpu, cores, memoryMB)
      (self.instructionSets, self.profile) = (instructionSets, profile)
    }
  }

  /// How one model fared lately: times to the first token, or to the whole where it writes none; null where there were none lately.
  package struct Latency: Codable, Sendable, Equatable {
    package var model: String
    /// Inferences since the daemon began.
    package var count: UInt64
    @OrNull package var mean: Double? = nil
    @OrNull package var p50: Double? = nil
    @OrNull package var p95: Double? = nil
    @OrNull package var p99: Double? = nil
    /// What the model is promised to keep to.
    @OrNull package var target: Double? = nil
    /// What part of the inferences did, from 0 to 1.
    @OrNull package var compliance: Double? = nil
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

    package init(_ statistics: PerformanceStatistics, named name: String) {
      func milliseconds(_ time: Duration) -> Double { (time / .microseconds(1)).rounded() / 1000 }
      model = name
      count = statistics.count
      if statistics.recentCount > 0 {
        (mean, p50) = (milliseconds(statistics.mean), milliseconds(statistics.p50))
        (p95, p99) = (milliseconds(statistics.p95), milliseconds(statistics.p99))
      }
      target = statistics.targets.latency.map(milliseconds)
      compliance = statistics.compliance
      memory = (Double(statistics.memory) / 104857.6).rounded() / 10
      percentPerHalfHour = (statistics.batteryPerHalfHour * 100).rounded() / 100
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

    package init(model: String, response: String, reason: String, age: Double) {
      (self.model, self.response, self.reason, self.age) = (model, response, reason, age)
    }
  }

  package struct Memory: Codable, Sendable, Equatable {
    package var resident: Double
    package var budget: Double

    enum CodingKeys: String, CodingKey {
      case resident = "resident_mb"
      case budget = "budget_mb"
    }

    package init(resident: Double, budget: Double) { (self.resident, self.budget) = (resident, budget) }
  }

  package struct Battery: Codable, Sendable, Equatable {
    /// Nil where there is none.
    @OrNull package var percent: Int? = nil
    /// What all models cost in the last half hour, at 0.03 % for each tenth of a second that they compute. An estimate, on a telephone.
    package var percentPerHalfHour: Double
    /// Where measured energy comes from: rapl, power_supply, unavailable.
    package var source: String
    /// What the whole machine takes now, by that.
    @OrNull package var watts: Double? = nil

    enum CodingKeys: String, CodingKey {
      case percent, source, watts
      case percentPerHalfHour = "percent_per_half_hour"
    }

    package init(percent: Int?, percentPerHalfHour: Double, source: String, watts: Double?) {
      (self.percentPerHalfHour, self.source) = (percentPerHalfHour, source)
      (self.percent, self.watts) = (percent, watts)
    }
  }

  package struct Cache: Codable, Sendable, Equatable {
    /// Of kept replies of the model, from 0 to 1; nil before the first lookup.
    @OrNull package var hitRate: Double? = nil
    /// What part of all prompts' tokens did not have to be read again, from 0 to 1; nil before the first.
    @OrNull package var prefixRate: Double? = nil

    enum CodingKeys: String, CodingKey {
      case hitRate = "hit_rate"
      case prefixRate = "prefix_rate"
    }

    package init(hitRate: Double?, prefixRate: Double?) { (self.hitRate, self.prefixRate) = (hitRate, prefixRate) }
  }

  package struct Alert: Codable, Sendable, Equatable {
    package var kind: String
    package var text: String

    package init(kind: String, text: String) { (self.kind, self.text) = (kind, text) }
  }

  package struct Privacy: Codable, Sendable, Equatable {
    package var state: String
    package var badge: String
    package var detail: String

    package init(state: String, badge: String, detail: String) {
      (self.state, self.badge, self.detail) = (state, badge, detail)
    }
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

  package init(
    uptime: Double, model: Model, device: Device, latency: [Latency], tokensPerSecond: [Double], memory: Memory,
    battery: Battery, cache: Cache, requests: Int64, connections: Int, pets: Int, privacy: Privacy
  ) {
    (self.uptime, self.model, self.device, self.latency) = (uptime, model, device, latency)
    (self.tokensPerSecond, self.memory, self.battery, self.cache) = (tokensPerSecond, memory, battery, cache)
    (self.requests, self.connections, self.pets, self.privacy) = (requests, connections, pets, privacy)
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
