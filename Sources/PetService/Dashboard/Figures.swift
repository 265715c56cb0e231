import PetEngine

/// How a daemon fares, as the dashboard and `pet top` show it.
package struct Figures: Codable, Sendable, Equatable {
  package struct Model: Codable, Sendable, Equatable {
    package var name: String
    package var isLoaded: Bool

    enum CodingKeys: String, CodingKey {
      case name
      case isLoaded = "loaded"
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

  /// Times to the first token.
  package struct Latency: Codable, Sendable, Equatable {
    package var model: String
    package var p50: Double
    package var p95: Double
    /// What the model is promised to keep to.
    package var target: Double?

    enum CodingKeys: String, CodingKey {
      case model
      case p50 = "p50_ms"
      case p95 = "p95_ms"
      case target = "target_ms"
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
    /// What the models cost in half an hour, at 0.03 % for each tenth of a second that they compute. An estimate, on a telephone.
    package var percentPerHalfHour: Double

    enum CodingKeys: String, CodingKey {
      case percent
      case percentPerHalfHour = "percent_per_half_hour"
    }

    /// - Parameters:
    ///   - busy: seconds that models computed.
    ///   - uptime: seconds in which they did.
    init(percent: Int?, busy: Double, uptime: Double) {
      self.percent = percent
      percentPerHalfHour = (busy * 10 * 0.03 / max(1, uptime / 1800) * 100).rounded() / 100
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
  package var privacy: Privacy

  enum CodingKeys: String, CodingKey {
    case model, device, latency, memory, battery, cache, requests, connections, pets, alerts, privacy
    case uptime = "uptime_s"
    case tokensPerSecond = "tokens_per_second"
  }

  /// What of it a person should look at.
  package var findings: [Alert] {
    var alerts: [Alert] = []
    for latency in latency {
      guard let target = latency.target, latency.p95 > 1.5 * target else { continue }
      alerts.append(
        Alert(
          kind: "slow", text: "\(latency.model): P95 of \(Int(latency.p95)) ms, aim \(Int(target)) ms"))
    }
    if memory.resident > 1.2 * memory.budget {
      alerts.append(
        Alert(kind: "memory", text: "\(Int(memory.resident)) MB resident, budget \(Int(memory.budget)) MB"))
    }
    if privacy.state == PrivacyStatus.State.failed.rawValue {
      alerts.append(Alert(kind: "privacy", text: privacy.detail))
    }
    return alerts
  }
}
