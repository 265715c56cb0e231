// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Energy, from a tree of files")
struct EnergyMeterTests {
  private let root: TemporaryFolder
  private var meter: EnergyMeter { EnergyMeter(root: root.path) }

  init() throws { root = try TemporaryFolder() }

  private func write(_ folder: String, _ values: [String: String]) throws {
    for (name, value) in values { try root.write("sys/class/\(folder)/\(name)", value + "\n") }
  }

  @Test("nothing to read is unavailable, not zero")
  func unavailable() throws {
    let reading = meter.read(at: .zero)
    #expect(reading.source == .unavailable && EnergyMeter.watts(reading, meter.read(at: .seconds(1))) == nil)
    try write("power_supply/BAT0", ["type": "Battery", "status": "Full", "power_now": "0"])
    #expect(meter.read(at: .zero).source == .unavailable)
  }

  @Test("RAPL: packages are added, their parts are not; counters start again")
  func rapl() throws {
    func set(_ first: Int, _ second: Int) throws {
      try write(
        "powercap/intel-rapl:0", ["name": "package-0", "energy_uj": "\(first)", "max_energy_range_uj": "262143000000"])
      try write(
        "powercap/intel-rapl:1", ["name": "package-1", "energy_uj": "\(second)", "max_energy_range_uj": "262143000000"])
      try write("powercap/intel-rapl:0:0", ["name": "core", "energy_uj": "\(first / 2)"])
    }
    try set(1_000_000, 262_142_000_000)
    let before = meter.read(at: .seconds(10))
    try set(21_000_000, 9_000_000)
    let after = meter.read(at: .seconds(12))
    #expect(before.source == .rapl && EnergyMeter.watts(before, after) == 15)
    #expect(EnergyMeter.watts(after, after) == nil)
  }

  @Test("a battery that is discharging says watts, or volts and amperes")
  func battery() throws {
    try write("power_supply/BAT0", ["type": "Battery", "status": "Discharging", "power_now": "8500000"])
    #expect(meter.read(at: .zero).source == .powerSupply && meter.read(at: .zero).watts == 8.5)
    try write(
      "power_supply/BAT1",
      ["type": "Battery", "status": "Discharging", "current_now": "-500000", "voltage_now": "4000000"])
    try write(
      "power_supply/mouse", ["type": "Battery", "scope": "Device", "status": "Discharging", "power_now": "9000000"])
    #expect(meter.read(at: .zero).watts == 10.5)
    try write("power_supply/BAT0", ["power_now": "lots"])
    #expect(meter.read(at: .zero).watts == 2)
  }
}
