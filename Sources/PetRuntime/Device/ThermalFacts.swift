// SPDX-License-Identifier: Apache-2.0
/// How hot a machine is, in words: `fair` may last, `serious` is where it slows itself down, `critical` where it turns
/// itself off.
package enum ThermalState: String, Sendable, Codable, CaseIterable, Comparable {
  case nominal, fair, serious, critical

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .nominal: 0
    case .fair: 1
    case .serious: 2
    case .critical: 3
    }
  }
}

/// What the machine's thermometers say.
package struct ThermalFacts: Sendable, Equatable {
  package struct Zone: Sendable, Equatable {
    /// "x86_pkg_temp"; the zone's folder where it has no type.
    package var name: String
    /// Degrees Celsius.
    package var temperature: Double
    /// nil where the zone says no temperature at which something is done.
    package var state: ThermalState?

    package init(name: String, temperature: Double, state: ThermalState?) {
      self.name = name
      self.temperature = temperature
      self.state = state
    }
  }

  /// In the order of their folders' names.
  package var zones: [Zone]

  package init(zones: [Zone]) {
    self.zones = zones
  }

  /// A machine that says nothing of its heat.
  package static let unavailable = ThermalFacts(zones: [])

  /// The worst of all zones; nil where none tells.
  package var state: ThermalState? { zones.compactMap(\.state).max() }

  /// The zone that decides: the hottest of those in the worst state.
  package var hottest: Zone? {
    zones.filter { $0.state == state }.max { $0.temperature < $1.temperature }
  }
}

extension ThermalFacts: Encodable {
  private enum Keys: String, CodingKey { case state, zones }

  // Null rather than missing: programs can rely on the keys.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(state, forKey: .state)
    try container.encode(zones, forKey: .zones)
  }
}

extension ThermalFacts.Zone: Encodable {
  private enum Keys: String, CodingKey { case name, temperature, state }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(name, forKey: .name)
    try container.encode(temperature, forKey: .temperature)
    try container.encode(state, forKey: .state)
  }
}
