// SPDX-License-Identifier: Apache-2.0
extension PowerFacts {
  /// Reads /sys/class/power_supply below `root`, "/" but for tests. The batteries of mice and headsets are not counted.
  public static func read(root: String = "/") -> PowerFacts {
    let files = FactFiles(root: root)
    let supplies = files.names("sys/class/power_supply").map { PowerSupply(files, "sys/class/power_supply/\($0)") }
      .filter { $0.isOfTheMachine }
    let lines = supplies.filter { !$0.isBattery }.compactMap(\.isOnline)
    return PowerFacts(
      battery: battery(supplies.filter { $0.isBattery && $0.isPresent }),
      isOnMains: lines.isEmpty ? nil : lines.contains(true),
      isSavingPower: files.line("sys/firmware/acpi/platform_profile") == "low-power")
  }

  /// Several batteries as one: what is left counts by how much each can hold, where all say it in the same unit.
  private static func battery(_ batteries: [PowerSupply]) -> Battery? {
    guard let first = batteries.first else { return nil }
    let known = batteries.compactMap { battery in battery.capacity.map { (Double($0), battery.fullCharge) } }
    let unit = first.fullCharge?.unit
    let weights = known.map { $0.1?.unit == unit ? $0.1?.amount : nil }
    let isWeighted = !weights.contains(nil)
    let total = weights.reduce(0.0) { $0 + (isWeighted ? $1 ?? 0 : 1) }
    let sum = zip(known, weights).reduce(0.0) { $0 + $1.0.0 * (isWeighted ? $1.1 ?? 0 : 1) }
    let order: [Status] = [.discharging, .charging, .notCharging, .full]
    return Battery(
      capacity: total > 0 ? Int((sum / total).rounded()) : nil,
      status: order.first { status in batteries.contains { $0.status == status } } ?? .unknown)
  }
}

/// One folder of /sys/class/power_supply (Documentation/ABI/testing/sysfs-class-power).
private struct PowerSupply {
  enum Unit { case energy, charge }

  let isBattery: Bool
  let isOfTheMachine: Bool
  let isPresent: Bool
  let isOnline: Bool?
  /// 0 to 100
  let capacity: Int?
  let fullCharge: (amount: Double, unit: Unit)?
  let status: PowerFacts.Status

  init(_ files: FactFiles, _ folder: String) {
    // Micro-watt-hours at most: a larger number is none, and sums of these stay finite.
    func number(_ name: String) -> Double? {
      files.line("\(folder)/\(name)").flatMap { Double($0) }.flatMap { (0...1e15).contains($0) ? $0 : nil }
    }
    isBattery = files.line("\(folder)/type") == "Battery"
    isOfTheMachine = files.line("\(folder)/scope") != "Device"
    isPresent = number("present") != 0
    isOnline = number("online").map { $0 > 0 }
    status = files.line("\(folder)/status").flatMap(PowerFacts.Status.init(rawValue:)) ?? .unknown
    let energy = number("energy_full").map { (amount: $0, unit: Unit.energy) }
    let charge = number("charge_full").map { (amount: $0, unit: Unit.charge) }
    fullCharge = (energy ?? charge).flatMap { $0.amount > 0 ? $0 : nil }
    let left = number(energy == nil ? "charge_now" : "energy_now")
    let ratio = left.flatMap { left in (energy ?? charge).flatMap { $0.amount > 0 ? left / $0.amount * 100 : nil } }
    capacity = (number("capacity") ?? ratio).map { Int(min($0, 100).rounded()) }
  }
}
