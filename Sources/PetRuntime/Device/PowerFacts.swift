// SPDX-License-Identifier: Apache-2.0
/// Where the machine's power comes from.
public struct PowerFacts: Sendable, Equatable {
  /// The battery, or all of them as one; nil where there is none.
  package var battery: Battery?
  /// Whether a charger or the mains feed the machine; nil where nothing says.
  public var isOnMains: Bool?
  /// Whether the machine was told to save power (its platform profile is "low-power").
  public var isSavingPower: Bool

  package struct Battery: Sendable, Equatable, Encodable {
    /// How much is left of it: 0 to 100 percent; nil where it does not say.
    package var capacity: Int?
    package var status: Status

    package init(capacity: Int?, status: Status) {
      self.capacity = capacity
      self.status = status
    }
  }

  /// As the kernel words it (Documentation/ABI/testing/sysfs-class-power).
  package enum Status: String, Sendable, Encodable, CaseIterable {
    case charging = "Charging"
    case discharging = "Discharging"
    case notCharging = "Not charging"
    case full = "Full"
    case unknown = "Unknown"
  }

  package init(battery: Battery?, isOnMains: Bool?, isSavingPower: Bool = false) {
    self.battery = battery
    self.isOnMains = isOnMains
    self.isSavingPower = isSavingPower
  }

  /// A machine that says nothing of its power.
  public static let unavailable = PowerFacts(battery: nil, isOnMains: nil)

  /// Whether the battery is what the machine lives on now.
  public var isOnBattery: Bool {
    guard let battery else { return false }
    return isOnMains.map { !$0 } ?? (battery.status == .discharging)
  }
}

extension PowerFacts: Encodable {
  private enum CodingKeys: String, CodingKey {
    case battery
    case isOnMains = "on_mains"
    case isSavingPower = "saving_power"
  }

  // Null rather than missing: programs can rely on the keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(battery, forKey: .battery)
    try container.encode(isOnMains, forKey: .isOnMains)
    try container.encode(isSavingPower, forKey: .isSavingPower)
  }
}
