// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

@Suite("Battery and mains, from a tree of files")
struct PowerFactsTests {
  private let root: TemporaryFolder

  init() throws {
    root = try TemporaryFolder()
  }

  private func supply(_ name: String, _ values: [String: String]) throws {
    for (file, value) in values { try root.write("sys/class/power_supply/\(name)/\(file)", value + "\n") }
  }

  private func read() -> PowerFacts { .read(root: root.path) }

  @Test("a machine that says nothing")
  func absent() throws {
    #expect(read() == .unavailable && !read().isOnBattery)
    try FileManager.default.createDirectory(
      atPath: root.path + "/sys/class/power_supply", withIntermediateDirectories: true)
    #expect(read() == .unavailable)
  }

  @Test("a laptop, plugged in and not")
  func laptop() throws {
    try supply("AC", ["type": "Mains", "online": "0"])
    try supply("BAT0", ["type": "Battery", "status": "Discharging", "capacity": "42", "present": "1"])
    #expect(read() == PowerFacts(battery: .init(capacity: 42, status: .discharging), isOnMains: false))
    #expect(read().isOnBattery)
    try supply("AC", ["type": "Mains", "online": "1"])
    try supply("BAT0", ["status": "Not charging"])
    #expect(read() == PowerFacts(battery: .init(capacity: 42, status: .notCharging), isOnMains: true))
    #expect(!read().isOnBattery)
  }

  @Test("a phone names no mains: its status tells")
  func statusAlone() throws {
    try supply("battery", ["type": "Battery", "status": "Discharging", "capacity": "7"])
    #expect(read().isOnMains == nil && read().isOnBattery)
    try supply("battery", ["status": "Charging"])
    #expect(!read().isOnBattery)
    try supply("usb", ["type": "USB", "online": "1"])
    #expect(read().isOnMains == true)
  }

  @Test("several batteries are one, by what each holds")
  func several() throws {
    try supply("BAT0", ["type": "Battery", "status": "Full", "capacity": "100", "energy_full": "30000000"])
    try supply("BAT1", ["type": "Battery", "status": "Discharging", "capacity": "20", "energy_full": "10000000"])
    #expect(read().battery == .init(capacity: 80, status: .discharging))
    // Units that cannot be compared: the plain mean.
    try supply("BAT2", ["type": "Battery", "status": "Full", "capacity": "30", "charge_full": "1000"])
    #expect(read().battery?.capacity == 50)
  }

  @Test("without a capacity it follows from what is left")
  func ratio() throws {
    try supply(
      "BAT0", ["type": "Battery", "status": "Discharging", "charge_full": "2000000", "charge_now": "500000"])
    #expect(read().battery?.capacity == 25)
  }

  @Test("the batteries of other devices, empty slots and other supplies are none")
  func others() throws {
    try supply("hidpp_battery_0", ["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "5"])
    try supply("BAT1", ["type": "Battery", "present": "0", "status": "Unknown", "capacity": "0"])
    try supply("ucsi", ["type": "USB", "online": "0"])
    #expect(read() == PowerFacts(battery: nil, isOnMains: false) && !read().isOnBattery)
  }

  @Test("a machine that was told to save power")
  func saving() throws {
    try root.write("sys/firmware/acpi/platform_profile", "low-power\n")
    #expect(read().isSavingPower)
    try root.write("sys/firmware/acpi/platform_profile", "balanced\n")
    #expect(!read().isSavingPower)
  }

  @Test("garbage does not trap")
  func garbage() throws {
    let words = [
      "", "x", "-1", "nan", "inf", "-inf", "1e308", "99999999999999999999999", "0x10", "\0", "100\n200", "101", "0",
    ]
    for (index, word) in words.enumerated() {
      for other in [word, words[(index + 5) % words.count]] {
        try supply(
          "BAT0",
          [
            "type": "Battery", "status": word, "capacity": word, "energy_full": other, "energy_now": word,
            "charge_full": other,
          ])
        try supply("BAT1", ["type": "Battery", "capacity": other, "energy_full": word])
        try supply("AC", ["type": word, "online": other])
        let capacity = read().battery?.capacity ?? 0
        #expect((0...100).contains(capacity), "\(word) \(other)")
      }
    }
  }

  @Test("JSON has every key")
  func json() throws {
    let text = String(decoding: try JSONEncoder().encode(PowerFacts.unavailable), as: UTF8.self)
    for key in ["battery", "on_mains", "saving_power"] { #expect(text.contains("\"\(key)\"")) }
  }
}
