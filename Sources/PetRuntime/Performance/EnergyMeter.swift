// SPDX-License-Identifier: Apache-2.0
/// What the machine's own meters say of its use of energy, where it has any and lets this process read them.
package struct EnergyMeter: Sendable, Equatable {
  package enum Source: String, Sendable, Codable, CaseIterable {
    /// The processor's counters: /sys/class/powercap (Documentation/power/powercap/powercap.rst). Since 2020 for root only.
    case rapl
    /// The battery's: /sys/class/power_supply, while the machine lives on it.
    case powerSupply = "power_supply"
    case unavailable
  }

  /// What was read at one moment.
  package struct Reading: Sendable, Equatable {
    package var source: Source
    /// Joules since a moment that is the same for all counters, each with where it starts again; of `rapl`.
    var counters: [String: Counter] = [:]
    /// Watts now; of `powerSupply`.
    package var power: Double?
    /// Watts, where one reading tells them.
    package var watts: Double? { power }
    package var time: Duration

    package struct Counter: Sendable, Equatable {
      var joules: Double
      var range: Double
    }
  }

  private let root: String

  /// - Parameter root: below which /sys is, "/" but for tests.
  package init(root: String = "/") { self.root = root }

  /// - Parameter time: since a fixed moment.
  package func read(at time: Duration) -> Reading {
    let files = FactFiles(root: root)
    let counters = Self.counters(files)
    if !counters.isEmpty { return Reading(source: .rapl, counters: counters, time: time) }
    if let power = Self.power(files) { return Reading(source: .powerSupply, power: power, time: time) }
    return Reading(source: .unavailable, time: time)
  }

  /// Watts between two readings, or of the later where it says that itself; nil where they do not tell.
  package static func watts(_ before: Reading, _ after: Reading) -> Double? {
    if let power = after.power { return power }
    let seconds = (after.time - before.time) / .seconds(1)
    guard after.source == .rapl, before.source == .rapl, seconds > 0 else { return nil }
    var joules = 0.0
    for (name, now) in after.counters {
      guard let then = before.counters[name] else { continue }
      joules += now.joules >= then.joules ? now.joules - then.joules : now.joules + now.range - then.joules
    }
    return joules / seconds
  }

  /// The packages: their parts (cores, memory) are counted in them.
  private static func counters(_ files: FactFiles) -> [String: Reading.Counter] {
    var counters: [String: Reading.Counter] = [:]
    for name in files.names("sys/class/powercap")
    where name.hasPrefix("intel-rapl:") && name.split(separator: ":").count == 2 {
      let folder = "sys/class/powercap/\(name)"
      guard let energy = files.line("\(folder)/energy_uj").flatMap({ UInt64($0) }) else { continue }
      let range = files.line("\(folder)/max_energy_range_uj").flatMap { UInt64($0) } ?? 0
      counters[name] = Reading.Counter(joules: Double(energy) / 1e6, range: Double(range) / 1e6)
    }
    return counters
  }

  /// What all batteries that are discharging give.
  private static func power(_ files: FactFiles) -> Double? {
    var watts: Double?
    for name in files.names("sys/class/power_supply") {
      let folder = "sys/class/power_supply/\(name)"
      guard files.line("\(folder)/type") == "Battery", files.line("\(folder)/scope") != "Device",
        files.line("\(folder)/status") == "Discharging"
      else { continue }
      func micro(_ file: String) -> Double? {
        files.line("\(folder)/\(file)").flatMap { Double($0) }.flatMap { abs($0) <= 1e12 ? abs($0) / 1e6 : nil }
      }
      let product = micro("current_now").flatMap { current in micro("voltage_now").map { $0 * current } }
      if let power = micro("power_now") ?? product { watts = (watts ?? 0) + power }
    }
    return watts
  }
}
